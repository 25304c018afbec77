"""Names that say what a file or folder is, so that it need not be opened. All compared in lower case, as bytes."""

from __future__ import annotations

from postil_indexers.seen import SkipReason


def _encoded(words: str) -> frozenset[bytes]:
    return frozenset(words.encode().split())


VERSION_CONTROL = _encoded(".git .hg .svn .bzr .jj .sl .pijul _darcs cvs")
# Only what is installed, cached or kept by a program under that very name; "build", "dist", "target" and "vendor" hold
# people's own files often enough that only the workspace's own rules decide about them.
TOOL_FOLDERS = _encoded(
    "node_modules bower_components jspm_packages .pnpm-store .yarn site-packages __pycache__ __pypackages__ .venv .tox "
    ".nox .eggs .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .gradle .terraform "
    ".terragrunt-cache .next .nuxt .svelte-kit .turbo .parcel-cache .angular .expo .dart_tool .stack-work .bloop "
    ".metals elm-stuff .vs .direnv .cache .import_linter_cache "
    ".obsidian .trash .logseq .smart-env .stversions .stfolder .dropbox.cache .history "
    "$recycle.bin .spotlight-v100 .fseventsd .trashes .documentrevisions-v100"
)
_TOOL_FOLDERS_IN = {b"logseq": _encoded("bak .recycle version-files")}  # copies of every page that was ever changed
_TOOL_FOLDER_SUFFIXES = (b".egg-info", b".dist-info", b".xcodeproj", b".xcassets", b".photoslibrary")

SECRET_FOLDERS = _encoded(".ssh .gnupg .aws .azure .kube .password-store")
_SECRET_NAMES = _encoded(
    ".netrc _netrc .npmrc .pypirc .git-credentials .dockercfg .s3cfg .boto .pgpass .my.cnf .htpasswd .vault-token "
    "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk identity.key wallet.dat credentials.json "
    "application_default_credentials.json secrets.json secrets.yml secrets.yaml secrets.toml "
    ".bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history .lesshst"
)
_SECRET_SUFFIXES = tuple(
    _encoded(
        ".pem .key .p8 .p12 .pfx .pk8 .pkcs12 .jks .keystore .kdb .kdbx .keychain .keychain-db .ppk .gpg .pgp .agekey "
        ".keytab .ovpn .mobileprovision .tfstate .tfstate.backup .tfvars .env"
    )
)
_SECRET_PREFIXES = (b".env", b"service-account", b"service_account", b"client_secret", b"client-secret")
_SECRET_IN = {
    b".docker": _encoded("config.json"),
    b"gh": _encoded("hosts.yml"),
    b"gcloud": _encoded("credentials.db access_tokens.db"),
    b".cargo": _encoded("credentials credentials.toml"),
    b".gem": _encoded("credentials"),
    b".m2": _encoded("settings.xml settings-security.xml"),
}
_TEMPLATE_SUFFIXES = (b".example", b".sample", b".template", b".dist", b".tmpl", b".defaults")

_DRAWING_SUFFIXES = (b".excalidraw", b".excalidraw.md", b".tldr", b".tldraw", b".drawio", b".dio", b".svg", b".svgz")
_MINIFIED_SUFFIXES = tuple(_encoded(".min.js .min.mjs .min.cjs .min.css -min.js .bundle.js .chunk.js .pack.js"))
_GENERATED_SUFFIXES = tuple(_encoded(".js.map .mjs.map .cjs.map .css.map .ts.map _pb2.py _pb2_grpc.py .pb.go"))
_LOCK_FILES = _encoded(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock cargo.lock poetry.lock "
    "pipfile.lock pdm.lock uv.lock pixi.lock conda-lock.yml composer.lock symfony.lock gemfile.lock podfile.lock "
    "cartfile.resolved package.resolved mix.lock rebar.lock pubspec.lock go.sum gopkg.lock glide.lock flake.lock "
    "gradle.lockfile packages.lock.json paket.lock project.assets.json .terraform.lock.hcl conan.lock stack.yaml.lock "
    "shard.lock berksfile.lock module.bazel.lock chart.lock"
)
_BINARY_EXTENSIONS = _encoded(
    "png jpg jpeg jpe gif bmp ico icns tif tiff webp avif heic heif jxl psd psb xcf ai eps cr2 nef arw dng tga dds "
    "exr hdr ktx mp3 m4a aac ogg oga opus flac wav wma aif aiff mid midi mp4 m4v mkv webm mov avi wmv flv mpg mpeg 3gp "
    "ogv ttf otf woff woff2 eot ttc zip gz tgz bz2 tbz xz txz zst lz lz4 lzma br 7z rar tar jar war ear aar apk aab "
    "ipa dmg iso img pkg deb rpm msi cab snap flatpak appimage whl egg crx xpi vsix nupkg pdf djvu epub mobi azw3 "
    "doc docx docm dotx xls xlsx xlsm xlsb ppt pptx pptm odt ods odp odg rtf pages numbers one onetoc2 vsd vsdx "
    "msg pst ost exe dll so dylib a lib o obj ko elf bin sys class pyc pyo pyd wasm dex pdb ilk idb beam hi nib "
    "db sqlite sqlite3 db3 mdb accdb frm ibd myd myi ldb sst rdb parquet arrow feather orc avro h5 hdf5 nc npy npz mat "
    "rds rdata pkl pickle joblib pt pth ckpt safetensors onnx gguf ggml tflite pb mlmodel tfrecord "
    "blend fbx glb 3ds c4d skp stl dwg dxf rvt step stp iges usdz unitypackage uasset umap pak bsp wad "
    "sketch fig xd swf fla ps lockb bundle pack mo gmo qm swp swo ds_store torrent crdownload"
)


def skip_folder(name: bytes, parent: bytes) -> tuple[SkipReason, str] | None:
    """Why a folder is left out for its name (both names in lower case), or None."""
    if name in VERSION_CONTROL:
        return SkipReason.VERSION_CONTROL, "kept by version control"
    if name in SECRET_FOLDERS:
        return SkipReason.SECRET, "holds keys and credentials"
    if name in TOOL_FOLDERS or name.endswith(_TOOL_FOLDER_SUFFIXES) or name in _TOOL_FOLDERS_IN.get(parent, ()):
        return SkipReason.TOOL_FOLDER, "installed packages, caches or the state of an application"
    return None


def is_secret(name: bytes, parent: bytes) -> bool:
    """Whether a file's name says that it holds keys or credentials. Templates of such files do not."""
    if name in _SECRET_NAMES or name in _SECRET_IN.get(parent, ()):
        return True
    if not (name.endswith(_SECRET_SUFFIXES) or name.startswith(_SECRET_PREFIXES)):
        return False
    if name.startswith((b"service", b"client")):
        return name.endswith(b".json")
    return not name.endswith(_TEMPLATE_SUFFIXES)


def skip_file(name: bytes) -> tuple[SkipReason, str] | None:
    """Why a file is left out for its name (lower case), or None."""
    if name == b".git":
        return SkipReason.VERSION_CONTROL, "says where a repository is kept"
    if name.rpartition(b".")[2] in _BINARY_EXTENSIONS and b"." in name:
        return SkipReason.BINARY, f"a file of the type .{name.rpartition(b'.')[2].decode()}"
    if name in _LOCK_FILES:
        return SkipReason.GENERATED, "a lock file, written by a package manager"
    if name.endswith(_DRAWING_SUFFIXES):
        return SkipReason.DRAWING, "a drawing"
    if name.endswith(_MINIFIED_SUFFIXES):
        return SkipReason.MINIFIED, "minified or bundled, by its name"
    if name.endswith(_GENERATED_SUFFIXES):
        return SkipReason.GENERATED, "written by a program, by its name"
    if name.endswith(b".icloud") and name.startswith(b"."):
        return SkipReason.PLACEHOLDER, "its content is in iCloud only"
    return None
