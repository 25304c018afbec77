"""VS Code's client, built and packed once for all tests of one process."""

from __future__ import annotations

import shutil

import pytest

from fixtures.node import CLIENT, node


@pytest.fixture(scope="session")
def built() -> None:
    fcntl = pytest.importorskip("fcntl", reason="there is no lock of files as Unix has it")
    if shutil.which("node") is None:
        pytest.skip("there is no Node; apt install nodejs npm")
    if not (CLIENT / "node_modules/.package-lock.json").exists():
        pytest.skip("the client's packages are not installed: make vscode")
    with (CLIENT / "node_modules/.build.lock").open("w") as lock:  # several workers test at once, one of them builds
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = CLIENT / "dist/test/host/index.js"
        sources = [file for part in ("src", "test") for file in (CLIENT / part).rglob("*")]
        sources += [CLIENT / "package.json", CLIENT / "package-lock.json", CLIENT / "esbuild.mjs"]
        if not made.exists() or made.stat().st_mtime < max(file.stat().st_mtime for file in sources):
            node(None, "esbuild.mjs", "--tests")


@pytest.fixture(scope="session")
def vsix(built: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The extension as `make package` makes it, without the wheel."""
    file = str(tmp_path_factory.mktemp("package") / "postil.vsix")
    vsce = ("node_modules/@vscode/vsce/vsce", "package", "--no-dependencies", "--allow-missing-repository")
    node(None, *vsce, "--skip-license", "--no-rewrite-relative-links", "-o", file)
    return file
