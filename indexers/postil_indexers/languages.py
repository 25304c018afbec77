"""What language a file is in, from its name and first line, and which grammar reads it."""

from __future__ import annotations

import functools
import re

# language: extensions, then whole names (compared in lower case, "*" at an end stands for anything)
_TABLE = """
actionscript: .as
ada: .adb .ads .ada .gpr
agda: .agda
antlr: .g4
apex: .cls .trigger .apex
applescript: .applescript
arduino: .ino .pde
asciidoc: .adoc .asciidoc .asc
asm: .asm .s .nasm .a51 .inc
astro: .astro
autohotkey: .ahk .ah2
avro: .avsc .avdl
awk: .awk .gawk .mawk
bash: .sh .bash .zsh .ksh .ebuild .eclass .bats .command .install .envrc | .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc .xinitrc .xprofile .envrc pkgbuild apkbuild gradlew mvnw
batch: .bat .cmd
beancount: .beancount .bean
bibtex: .bib
bicep: .bicep .bicepparam
bitbake: .bb .bbappend .bbclass
c: .c .h .idc .cats .xpm .xbm
caddy: | caddyfile
cairo: .cairo
capnp: .capnp
clarity: .clar
clojure: .clj .cljs .cljc .cljx .edn .bb.clj .boot | build.boot
cmake: .cmake .cmake.in | cmakelists.txt
cobol: .cob .cbl .cobol .cpy
coffeescript: .coffee .litcoffee .cson | cakefile
commonlisp: .lisp .lsp .cl .asd .l .sexp
coq: .coq
cpp: .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .inl .tpp .txx .tcc .cppm .ixx .ii .metal .pp.h
crystal: .cr
csharp: .cs .csx .cake
css: .css .pcss .postcss
csv: .csv
cuda: .cu .cuh
cython: .pyx .pxd .pxi
d: .d .di
dart: .dart
devicetree: .dts .dtsi
diff: .diff .patch .rej
dockerfile: .dockerfile .containerfile | dockerfile containerfile dockerfile.* containerfile.* *.dockerfile
dot: .dot .gv
ebnf: .ebnf .bnf
editorconfig: | .editorconfig
elixir: .ex .exs | mix.lock
elisp: .el | .emacs .spacemacs cask
elm: .elm
erb: .erb .rhtml
erlang: .erl .hrl .escript .app.src .xrl .yrl | rebar.config rebar.config.lock emakefile
fennel: .fnl
firrtl: .fir
fish: .fish
forth: .4th .fth .forth .frt
fortran: .f .for .f77 .f90 .f95 .f03 .f08 .f18 .ftn .fpp
fsharp: .fs .fsx .fsscript
fsharp_signature: .fsi
func: .fc
gdscript: .gd
gettext: .po .pot
gitattributes: .gitattributes | attributes.git
gitconfig: | .gitconfig .gitmodules
gitignore: .gitignore .dockerignore .npmignore .eslintignore .prettierignore .ignore .postilignore .helmignore .gcloudignore | .gitignore .dockerignore .npmignore .eslintignore .prettierignore .ignore .postilignore .helmignore .gcloudignore
gleam: .gleam
glsl: .glsl .vert .frag .geom .comp .tesc .tese .rgen .rchit .rmiss .vsh .fsh .shader
gn: .gn .gni
go: .go
gomod: | go.mod
gotemplate: .tmpl .gotmpl .gohtml .tpl
gowork: | go.work
graphql: .graphql .gql .graphqls
groovy: .groovy .gradle .gvy .gy .gsh .nf | jenkinsfile jenkinsfile.* *.jenkinsfile nextflow.config
hack: .hack .hh.hack .hhi
haml: .haml
handlebars: .hbs .handlebars .mustache
hare: .ha
haskell: .hs .hs-boot .hsc
haxe: .hx .hxsl
hcl: .hcl .nomad .pkr.hcl | .terraformrc terraform.rc
terraform: .tf .tfvars .tofu
heex: .heex .leex
hlsl: .hlsl .fx .fxh .hlsli .cginc
html: .html .htm .xhtml .shtml .html.j2 .jinja .jinja2 .j2 .njk .liquid .ejs
hyprland: | hyprland.conf
idris: .idr .lidr
ini: .ini .cfg .properties.ini .desktop .service .socket .timer .mount .target .prefs .conf.ini .flake8 .pylintrc .coveragerc .npmrc .curlrc | .flake8 .pylintrc pylintrc .coveragerc tox.ini setup.cfg .npmrc .yarnrc .curlrc .gtkrc
ispc: .ispc
janet: .janet
java: .java .jav .jsh
javascript: .js .mjs .cjs .jsx .es .es6 .jsm .sjs .gs .xsjs | jakefile .eslintrc.js
json: .json .jsonc .json5 .geojson .topojson .jsonl .ndjson .webmanifest .har .ipynb.json .code-workspace .code-snippets .arb .sarif | .babelrc .eslintrc .prettierrc .jshintrc .jscsrc .swcrc .lintstagedrc .stylelintrc .bowerrc .watchmanconfig .nycrc composer.lock pipfile.lock flake.lock deno.lock .releaserc .devcontainer.json
jsonnet: .jsonnet .libsonnet
julia: .jl
just: .just | justfile .justfile
kconfig: | kconfig kconfig.*
kdl: .kdl
kotlin: .kt .kts .ktm
latex: .tex .sty .cls.tex .ltx .dtx .bbx .cbx .lbx .tikz
less: .less
linkerscript: .ld .lds .lds.s
llvm: .ll
logtalk: .lgt
lua: .lua .rockspec .wlua .p8 | .luacheckrc
luau: .luau
magik: .magik
make: .mk .mak .make .mkfile | makefile gnumakefile bsdmakefile makefile.* makefile.am makefile.in kbuild
markdown: .md .markdown .mdx .mdown .mkd .mkdn .mdwn .qmd .rmd
mathematica: .wl .wls .nb
matlab: .matlab
mermaid: .mmd .mermaid
meson: | meson.build meson_options.txt meson.options
mojo: .mojo
move: .move
nginx: .nginx .nginxconf | nginx.conf nginx.conf.*
nim: .nim .nims .nimble
ninja: .ninja
nix: .nix
notebook: .ipynb
nqc: .nqc
objc: .mm .m
ocaml: .ml .mll .mly .ocamlmakefile
ocaml_interface: .mli
odin: .odin
org: .org
pascal: .pas .pp .lpr .dpr .dfm .lpi
perl: .pl .pm .pl6 .pmc .psgi .t .cgi .perl .pod | cpanfile makefile.pl build.pl ack
pgn: .pgn
php: .php .phtml .php3 .php4 .php5 .php7 .phps .inc.php .module .theme | .php_cs .php-cs-fixer.php artisan
pony: .pony
powershell: .ps1 .psm1 .psd1 .ps1xml
prisma: .prisma
prolog: .prolog .pro .plt .yap
properties: .properties .props.txt
proto: .proto .textproto .pbtxt
pug: .pug .jade
puppet: .epp | puppetfile
purescript: .purs
python: .py .pyi .pyw .pyt .py3 .gyp .gypi .wsgi .xsh .ipy | sconstruct sconscript wscript .pythonrc .pythonstartup snakefile
qmldir: | qmldir
qml: .qml .qbs
query: .scm.query
r: .r .rprofile .rsx .rd | .rprofile
racket: .rkt .rktl .rktd .scrbl
re2c: .re
reason: .rei
rego: .rego
requirements: | requirements.txt requirements-*.txt requirements_*.txt constraints.txt *-requirements.txt requirements.in requirements-*.in
rescript: .res .resi
ron: .ron
rst: .rst .rest .rst.txt
ruby: .rb .rake .gemspec .ru .podspec .builder .jbuilder .rabl .thor .rbw .rbi .rbs .god .watchr | gemfile rakefile guardfile capfile podfile fastfile appfile matchfile scanfile gymfile deliverfile vagrantfile berksfile brewfile thorfile dangerfile buildfile cheffile puppetfile.rb .irbrc .pryrc .simplecov .gemrc.rb mavenfile steepfile appraisals jarfile
rust: .rs .rs.in
sas: .sas
scala: .scala .sc .sbt .mill
scheme: .scm .ss .sld .sls .sps
scss: .scss .sass
shellsession: .sh-session
slim: .slim
smali: .smali
smalltalk: .st
smithy: .smithy
solidity: .sol
sparql: .rq .sparql
sql: .sql .ddl .dml .psql .pgsql .plsql .pks .pkb .pls .tab .mysql .hql .cql .prc .udf .viw
squirrel: .nut
starlark: .bzl .star .bazel .bxl | build build.bazel workspace workspace.bazel module.bazel tiltfile buck targets pants build.pants
stylus: .styl
svelte: .svelte
swift: .swift .swiftinterface
systemverilog: .sv .svh
tablegen: .td
tcl: .tcl .tm .itcl .tk .exp .adp .xdc .sdc
text: .txt .text .log
thrift: .thrift
toml: .toml | cargo.lock poetry.lock uv.lock pipfile pdm.lock gopkg.lock .cargo/config
tsv: .tsv .tab.txt
tsx: .tsx
twig: .twig
typescript: .ts .mts .cts
typst: .typ
udev: .rules
ungrammar: .ungram
uxntal: .tal
v: .vv .vsh
vala: .vala .vapi
vb: .vb .vbs .bas .frm .vba
velocity: .vm .vtl
verilog: .v .vh .veo
vhdl: .vhd .vhdl .vho
vim: .vim .vimrc .gvimrc .vmb .nvimrc | .vimrc _vimrc .gvimrc .exrc .nvimrc .ideavimrc
vue: .vue
wat: .wat .wast
wgsl: .wgsl
xml: .xml .xsd .xsl .xslt .wsdl .svg .rss .atom .plist .csproj .vbproj .fsproj .vcxproj .proj .props .targets .config .resx .xaml .axaml .nuspec .pom .storyboard .xib .iml .kml .gpx .ui .qrc .dita .xlf .xliff .tmx .tei .jelly .launch .sdf .urdf .xacro .wixproj .wxs .ant .mxml .dtd | pom.xml web.config app.config nuget.config packages.config
yaml: .yaml .yml .yaml-tmlanguage .sublime-syntax .clang-format .clang-tidy .clangd .mir .cff | .clang-format .clang-tidy .clangd .gemrc .yamllint .rubocop.yml pubspec.lock .prettierrc.yaml glide.lock
yang: .yang
yuck: .yuck
zig: .zig .zon
"""

_SHEBANGS = """
python: python pypy ipython uv | ruby: ruby jruby macruby rake | perl: perl | bash: sh bash dash zsh ksh ash mksh bats
javascript: node nodejs bun rhino zx | typescript: ts-node tsx deno | lua: lua luajit texlua | php: php | awk: awk gawk mawk
fish: fish | powershell: pwsh powershell | tcl: tclsh wish expect | groovy: groovy | scala: scala scala-cli amm | r: rscript
julia: julia | elixir: elixir iex | erlang: escript | haskell: runhaskell runghc stack | ocaml: ocaml | swift: swift
clojure: clj clojure bb planck | commonlisp: sbcl clisp ecl | racket: racket | scheme: guile chicken csi gosh scheme chez
elisp: emacs | make: make | nix: nix-shell | kotlin: kotlin kotlinc | dart: dart | nim: nim | crystal: crystal | raku: raku
fennel: fennel | janet: janet | d: rdmd | go: gorun | rust: rust-script cargo | java: java | fsharp: fsharpi | v: v
"""

# Languages whose grammar has another name, and near relatives that a grammar reads well enough to split.
_GRAMMARS = {
    "arduino": "cpp", "avro": "json", "cython": "python", "erb": "html", "gotemplate": "html", "gowork": "gomod",
    "handlebars": "html", "less": "scss", "mojo": "python", "notebook": "json", "qml": "qmljs", "puppet": "puppet",
    "systemverilog": "verilog", "heex": "heex", "devicetree": "devicetree",
}
# Bundled grammars that read prose, or a line at a time: nothing that splitting by lines would not do.
_BY_LINES = frozenset(["csv", "tsv", "diff", "text", "markdown", "rst", "gitignore", "gitattributes", "requirements", "org", "query"])
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z][\w+-]*?)(?:[\d.]+)?(?:\s|$)")
_MODELINE = re.compile(r"-\*-\s*(?:.*?mode:\s*)?([\w+#-]+)\s*(?:;.*)?-\*-|\bvim?:.*?\b(?:ft|filetype|syntax)=(\w+)")
_MODES = {

        "c++": "cpp",
        "sh": "bash",
        "shell-script": "bash",
        "js": "javascript",
        "emacs-lisp": "elisp",
        "lisp": "commonlisp"
    ,

        "objective-c": "objc",
        "zsh": "bash",
        "cperl": "perl",
        "makefile": "make",
        "bazel": "starlark",
        "bzl": "starlark"
    ,
    "plaintext": "text", "txt": "text", "tex": "latex", "cs": "csharp", "js2": "javascript", "enh-ruby": "ruby",
}


@functools.cache
def _tables() -> tuple[dict[str, str], dict[str, str], tuple[tuple[str, str, str], ...]]:
    """(extension -> language, name -> language, (beginning, end, language) of names with a star)"""
    extensions: dict[str, str] = {}
    names: dict[str, str] = {}
    patterns: list[tuple[str, str, str]] = []
    for row in _TABLE.strip().splitlines():
        language, _, rest = row.partition(":")
        by_extension, _, by_name = rest.partition("|")
        extensions.update((extension, language) for extension in by_extension.split())
        for name in by_name.split():
            if "*" in name:
                before, _, after = name.partition("*")
                patterns.append((before, after, language))
            else:
                names[name] = language
    return extensions, names, tuple(patterns)


@functools.cache
def languages() -> frozenset[str]:
    """Every language that a name can stand for."""
    return frozenset(row.partition(":")[0] for row in _TABLE.strip().splitlines())


@functools.cache
def _interpreters() -> dict[str, str]:
    entries = (entry.partition(":") for entry in _SHEBANGS.replace("\n", "|").split("|") if ":" in entry)
    return {program: language.strip() for language, _, programs in entries for program in programs.split()}


def language_of(path: str, first_line: str = "") -> str:
    """The language, in lower case, of a file by its name, else by the interpreter or editor mode its first line names.

    "text" where neither says anything.
    """
    extensions, names, patterns = _tables()
    name = path.rpartition("/")[2].lower()
    if name in names:
        return names[name]
    for before, after, language in patterns:
        if len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after):
            return language
    dot = name.find(".", 1)  # a name that only starts with a dot has no extension
    while dot > 0:
        if name[dot:] in extensions:
            return extensions[name[dot:]]
        dot = name.find(".", dot + 1)
    if name in extensions:  # ".profile"-like names that are an extension as a whole
        return extensions[name]
    return _language_of_line(first_line) or "text"


def _language_of_line(line: str) -> str | None:
    shebang = _SHEBANG.match(line)
    if shebang:
        return _interpreters().get(shebang[1].lower())
    if line.startswith("<?php"):
        return "php"
    if line.startswith("<?xml"):
        return "xml"
    mode = _MODELINE.search(line[:200])
    if mode:
        word = (mode[1] or mode[2]).lower()
        language = _MODES.get(word, word)
        return language if language in languages() else None
    return None


def grammar_of(language: str) -> str | None:
    """The name of the tree-sitter grammar that reads a language; None where it is split by lines."""
    if language in _BY_LINES:
        return None
    grammar = _GRAMMARS.get(language, language)
    return grammar if grammar in _bundled() else None


@functools.cache
def _bundled() -> frozenset[str]:
    import typing

    from tree_sitter_language_pack import SupportedLanguage

    return frozenset(typing.get_args(SupportedLanguage))
