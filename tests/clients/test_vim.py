"""Vim with ALE, set up as the page of other editors says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fixtures.editor_environment import editor_environment
from fixtures.machine import Machine
from fixtures.repository import Workspace

PAGE = Path(__file__).parents[2] / "docs/editors.md"
ALE = Path("/usr/share/vim-ale")

# Waits for what ALE does in the background, writes down what it shows, and ends.
SITTING = r"""
function! Until(what) abort
  for l:_ in range(600)
    if eval(a:what) | return | endif
    sleep 100m
  endfor
endfunction
edit docs/retries.md
call append(0, ['See [[no such note]].', ''])
ALELint
call Until('!empty(get(get(g:ale_buffer_info, bufnr(""), {}), "loclist", []))')
let g:out = map(copy(g:ale_buffer_info[bufnr('')].loclist), '"hint " . v:val.lnum . ":" . v:val.col . " " . v:val.text')
call search('lease protocol\]\]')
ALEHover
call Until('winnr("$") > 1')
wincmd P
call extend(g:out, map(getline(1, 1), '"hover " . v:val'))
wincmd p
ALEGoToDefinition
call Until('expand("%:t") !=# "retries.md"')
call add(g:out, 'definition ' . expand('%:t') . ':' . line('.'))
call writefile(g:out, $OUT)
qall!
"""


@pytest.mark.skipif(not ALE.exists() or not shutil.which("vim"), reason="no Vim with ALE: apt install vim vim-ale")
@pytest.mark.skipif(not shutil.which("script"), reason="no script: apt install bsdutils")
def test_ale_shows_hints_and_hovers_and_follows_links(workspace: Workspace, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine")
    assert machine.postil("index", workspace.root, **editor_environment(machine)).status == 0
    (settings,) = re.findall(r"```vim\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "rc.vim").write_text(f"set nocompatible rtp^={ALE}\nfiletype plugin on\n{settings}", "utf-8")
    (tmp_path / "sitting.vim").write_text(SITTING, "utf-8")
    out = tmp_path / "out.txt"
    vim = f"vim -Nu {tmp_path}/rc.vim --not-a-term -S {tmp_path}/sitting.vim"
    subprocess.run(
        ["script", "-qec", vim, "/dev/null"],  # a terminal, which Vim wants for jobs
        cwd=workspace.root,
        env=editor_environment(machine, OUT=str(out), TERM="xterm"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=200,
        check=False,
    )
    hint, hover, definition = out.read_text("utf-8").splitlines()
    assert hint == "hint 1:7 Nothing in this folder is called “no such note”"
    assert hover.startswith("hover Lease protocol · 2024-02-28 · ")
    assert definition == "definition lease protocol.md:1"
