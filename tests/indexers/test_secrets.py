"""What is masked and what is let through. Keys are made at run time: none may stand in a file."""

from __future__ import annotations

import importlib.util
import os
import random
import string
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil_indexers.plausible import is_plausible
from postil_indexers.secrets import Masked, mask

ALNUM = string.ascii_letters + string.digits
RNG = random.Random(7)
GITHUB = "gh" + "p_" + "".join(RNG.choices(ALNUM, k=36))
PASSWORD = "Vq7" + "mK2x" + "Rt9z"
BODY = ["".join(RNG.choices(ALNUM + "+/", k=64)) for _ in range(6)]
BEGIN, END = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"


def load_samples() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "secret_samples.py"
    spec = importlib.util.spec_from_file_location("secret_samples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["secret_samples"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "sample", list(load_samples().samples(seed=3)), ids=lambda sample: sample.name + sample.extension
)
def test_made_up_keys_are_masked(sample) -> None:  # type: ignore[no-untyped-def]
    masked = mask(sample.text)
    start = sample.text.index(sample.secret)
    hidden = [line[4:] for line in masked.text[start : start + len(sample.secret)].split("\n")]
    assert all(set(line) <= {"*"} for line in hidden)
    assert (len(masked.text), masked.text.count("\n")) == (len(sample.text), sample.text.count("\n"))
    assert masked.count == 1
    assert masked.text[:start] == sample.text[:start]
    assert masked.text[start + len(sample.secret) :] == sample.text[start + len(sample.secret) :]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('password = "{}"', 'password = "{}"'),
        ("  - DB_PASSWORD={}", "  - DB_PASSWORD={}"),
        ("+spring.datasource.password={}", "+spring.datasource.password={}"),
        ("<password>{}</password>", "<password>{}</password>"),
        ('conn = "Server=db;User Id=app;Password={};"', 'conn = "Server=db;User Id=app;Password={};"'),
        ("postgres://app:{}@db.internal/app", "postgres://app:{}@db.internal/app"),
        ("mysql --password={} app", "mysql --password={} app"),
        ('config.setPassword("{}");', 'config.setPassword("{}");'),
        ('"密码": 1, "password": "{}"', '"密码": 1, "password": "{}"'),
        ('s = "\ud800"; password = "{}"', 's = "\ud800"; password = "{}"'),
    ],
)
def test_passwords_of_many_syntaxes_are_masked_and_nothing_else(before: str, after: str) -> None:
    assert mask(before.format(PASSWORD)) == Masked(after.format("*" * len(PASSWORD)), 1)


def test_the_kind_of_a_long_key_stays_readable() -> None:
    assert mask(f"token: {GITHUB} # bot").text == "token: " + GITHUB[:4] + "*" * 36 + " # bot"


def test_two_keys_of_one_line_are_two() -> None:
    assert mask(f"{GITHUB}, password='{PASSWORD}'").count == 2


@pytest.mark.parametrize("lines", [[BEGIN, *BODY, END], [BEGIN, *BODY]], ids=["whole", "cut off"])
def test_a_private_key_in_a_diff_keeps_its_lines_and_signs(lines: list[str]) -> None:
    key = "\n".join("+" + line for line in lines)
    masked = mask(f"@@ -0,0 +1 @@\n{key}\n-# done")
    assert masked.count == 1
    assert [line[:1] for line in masked.text.split("\n")] == ["@", *"+" * len(lines), "-"]
    assert not any(line in masked.text for line in BODY)
    assert masked.text.endswith("\n-# done")


LET_THROUGH = [
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
    'revision = "da39a3ee5e6b4b0d3255bfef95601890afd80709"',
    "token_id: 123e4567-e89b-42d3-a456-426614174000",
    '"integrity": "sha512-7oI9ZQm6Ks8yJ5vX2bN4cW1eT3rY6uP0aS8dF5gH2jK4lZ7xC9vB1nM3qW5eR7tY9uI1oP3aS5dF7gH9jK1lZ3=="',
    'checksum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    "password_hash = '$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW'",
    "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq3mG6Vn0Yt5n8vS2xPqk7wJ4hR1cZbL9dFeU6aTgXo me@host",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEq3mG6Vn0Yt5n8vS2xP\n-----END PUBLIC KEY-----",
    "api_key: YOUR_API_KEY",
    "api_key = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
    "token: <your-token-123>",
    "password: ${DB_PASSWORD_2}",
    'password = os.environ["DB_PASSWORD_2"]',
    'secret = "{{ vault.app2.secret }}"',
    "postgres://user:password@localhost/db",
    "https://user:${PASS1}@example.com",
    'aws_access_key_id = "AKIA' + 'IOSFODNN7EXAMPLE"',
    'token = "Token2Type"',
    "('authtoken', '0002_auto_20160226_1747'),",
    '"next-auth": "npm:next-auth@^4.24.11"',
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "tokenizer = AutoTokenizer.from_pretrained('all-MiniLM-L6-v2')",
    'keyPassword = "keystore/client2.p12"',
]


@pytest.mark.parametrize("text", LET_THROUGH)
def test_what_only_looks_like_a_secret_is_let_through(text: str) -> None:
    assert mask(text) == Masked(text, 0)


@pytest.mark.parametrize(
    ("value", "before", "plausible"),
    [
        ("9f86d081884c7d659a2feaa0c55ad015", "api_key: ", True),
        ("9f86d081884c7d659a2feaa0c55ad015", "password_md5: ", False),
        ("9f86d081", "secret: ", False),
        ("k8v2n5q9x4m7c1z6", "", True),
        ("dGhpcy1pcy1hLXRlc3Q=", "", False),  # Base64 of "this-is-a-test"
        ("Gx!kQ^vmRz@tWp", "", True),
        ("getUserNameFromToken", "", False),
        ("src/app2/main.py", "", False),
        ("aaaaaaaa1111", "", False),
    ],
)
def test_a_value_is_judged_by_how_random_it_is(value: str, before: str, plausible: bool) -> None:
    assert is_plausible(value, before) is plausible


@given(st.text(), st.text())
@settings(deadline=None)  # the first call loads the rules
def test_any_text_keeps_its_length_and_lines(before: str, after: str) -> None:
    text = f"{before}\npassword = '{PASSWORD}'\n{after}"
    masked = mask(text)
    assert len(masked.text) == len(text)
    assert list(map(len, masked.text.splitlines())) == list(map(len, text.splitlines()))
    assert PASSWORD not in masked.text
    assert mask(masked.text) == Masked(masked.text, 0)


_COMPILE = """
import os, subprocess, sys
from postil_indexers import secrets
secrets.compile_rules()
print(os.environ["POSTIL_SECRET_RULES"])
child = "from postil_indexers.secrets import is_compiled; print(is_compiled())"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout.strip(), flush=True)
"""


def test_rules_that_cannot_be_kept_are_handed_to_the_processes_that_need_them(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _COMPILE], env=environment, capture_output=True, text=True, check=True)
    folder, child = done.stdout.splitlines()
    assert Path(folder).parent == tmp_path
    assert child == "True"
    assert not Path(folder).exists()
