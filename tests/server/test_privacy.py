"""What no model gets, and what it gets under another name."""

from __future__ import annotations

import pytest

from postil_server.answering.privacy import Mask, Rules, Withheld

TOKEN = "ghp_" + "R4nd0mT0kenF0rTests9x8w7v6u5t4s3r2q1p"[:36]


@pytest.mark.parametrize(
    ("patterns", "path", "held"),
    [
        (["journal/"], "journal/2024/may.md", True),
        (["journal/"], "notes/journal.md", False),
        (["*.private.md"], "a/b/c.private.md", True),
        (["/people.md"], "people.md", True),
        (["/people.md"], "a/people.md", False),
        (["journal/*", "!journal/public.md"], "journal/public.md", False),
        (["journal/", "!journal/public.md"], "journal/public.md", True),  # as in git: below a folder that is left out
        (["日记/"], "日记/五月.md", True),
        ([], "journal/2024/may.md", False),
    ],
)
def test_patterns_are_those_of_git(patterns: list[str], path: str, held: bool) -> None:
    assert Withheld(patterns).holds(path) is held


@pytest.mark.parametrize(
    ("front_matter", "held"),
    [
        ("---\ntitle: People\npostil: never-send\n---\n", True),
        ("---\nnever_send: true\n---\n", True),
        ('+++\npostil = "never-send"\n+++\n', True),
        ("---\ntitle: never send\n---\n", False),
        ("---\nnever_send: false\n---\n", False),
        ("", False),
    ],
)
def test_a_note_can_say_itself_that_it_stays_here(front_matter: str, held: bool) -> None:
    assert Withheld([]).holds("people.md", front_matter) is held


def masked(text: str, *names: str, secrets: bool = False) -> tuple[str, Mask]:
    mask = Mask(Rules(secrets, True, names), [text])
    return mask.hide(text), mask


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Write to anna.b+x@mail.example.org.", "Write to HIDDEN_EMAIL_1."),
        ("Call +49 170 1234567, or (0351) 12 34 56.", "Call HIDDEN_PHONE_1, or HIDDEN_PHONE_2."),
        ("Call 555-123-4567 or 0351/123456", "Call HIDDEN_PHONE_1 or HIDDEN_PHONE_2"),
        ("电话13800138000，备用138 0013 8000。", "电话HIDDEN_PHONE_1，备用HIDDEN_PHONE_2。"),
        ("Anna asked ANNA's friend Annalisa.", "HIDDEN_NAME_1 asked HIDDEN_NAME_2's friend Annalisa."),
        ("王小明说：问小明。", "HIDDEN_NAME_1说：问小明。"),
    ],
)
def test_personal_data_has_placeholders(text: str, hidden: str) -> None:
    assert masked(text, "Anna", "王小明")[0] == hidden


@pytest.mark.parametrize(
    "text",
    [
        "on 2024-05-17 at 10:30:00",
        "version 10.20.3000.1",
        "at 192.168.100.200:8080",
        "commit 0123456789abcdef",
        "id 1234567890123456789",
        "16384 bytes, 3.14159265358979",
        "2026-11-30T11:15:27Z",
        "user@host",
        "@decorator and a@b",
        "lines 100-200 and 1000-2000",
    ],
)
def test_other_numbers_and_signs_stay(text: str) -> None:
    assert masked(text)[0] == text


def test_the_same_text_has_the_same_placeholder_and_all_come_back() -> None:
    text = "Anna (anna@example.org) asked Anna."
    hidden, mask = masked(text, "Anna")
    assert hidden == "HIDDEN_NAME_1 (HIDDEN_EMAIL_1) asked HIDDEN_NAME_1."
    assert mask.count == 2
    assert "".join(mask.restored(iter([hidden]))) == text


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_placeholder_may_be_cut_between_two_pieces(size: int) -> None:
    text = "Hello Anna, HI Anna: 12 of Anna; HIDDEN and H. Ask Anna"
    hidden, mask = masked(text, "Anna")
    pieces = [hidden[at : at + size] for at in range(0, len(hidden), size)]
    assert "".join(mask.restored(iter(pieces))) == text


def test_twelve_placeholders_are_told_apart() -> None:
    text = " ".join(f"a{number}@example.org" for number in range(12))
    hidden, mask = masked(text)
    assert hidden.endswith("HIDDEN_EMAIL_12")
    assert "".join(mask.restored(iter(hidden))) == text


def test_text_is_held_back_only_where_a_placeholder_may_begin() -> None:
    _, mask = masked("Anna", "Anna")
    assert list(mask.restored(iter(["He said: HI", "DDEN treasures. ", "HIDDEN_NAME_", "1!"]))) == [
        "He said: ", "HIDDEN treasures. ", "Anna!",
    ]  # fmt: skip


def test_a_placeholder_is_no_word_of_the_text() -> None:
    text = "HIDDEN_EMAIL_1 is what a@example.org is called"
    hidden, mask = masked(text)
    assert hidden == "HIDDEN_EMAIL_1 is what HIDDEN2_EMAIL_1 is called"
    assert "".join(mask.restored(iter([hidden]))) == text


def test_a_placeholder_that_was_never_given_stays_as_it_is() -> None:
    _, mask = masked("Anna", "Anna")
    assert "".join(mask.restored(iter(["HIDDEN_NAME_7"]))) == "HIDDEN_NAME_7"


def test_secrets_have_placeholders_and_come_back() -> None:
    text = f"why does GITHUB_TOKEN={TOKEN} fail?"
    mask = Mask(Rules(secrets=True), [text])
    hidden = mask.hide(text)
    assert TOKEN[8:] not in hidden
    assert "HIDDEN_SECRET_1" in hidden
    assert "".join(mask.restored(iter([hidden]))) == text


def test_without_rules_nothing_changes() -> None:
    text = f"Anna anna@example.org +49 170 1234567 {TOKEN}"
    mask = Mask(Rules(names=("Anna",)), [text])
    assert mask.hide(text) == text
    assert mask.count == 0
