"""The docs keep their word: links lead somewhere, commands exist, nothing names one machine."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cli.app import app as mesh
from lab.cli import app as lab
from tests.docs.settings_reference import REFERENCE, reference

PROJECT = Path(__file__).parent.parent
DECISIONS = PROJECT / "docs" / "decisions"
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
PULUMI = {
    "login": {},
    "up": {"-s"},
    "preview": {"-s", "--policy-pack", "--policy-pack-config"},
    "destroy": {"-s"},
    "cancel": {"-s"},
    "refresh": {"-s", "--clear-pending-creates"},
    "config set": {"-s", "--secret", "--path"},
    "stack init": set(),
    "stack rm": set(),
    "stack output": {"-s", "--show-secrets"},
    "stack export": {"-s", "--show-secrets", "--file"},
    "stack change-secrets-provider": {"-s"},
    "state unprotect": {"-s", "--all"},
    "plugin install": set(),
}
"""The engine's commands that the docs use, with the options they use of each."""
PROGRAMS = ("make", "lab", "mesh", "pulumi")


def commands(page: Path) -> Iterator[list[str]]:
    """Every command of ours or the engine's in a page: in blocks, and whole in backquotes."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:bash|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    written = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    written += re.findall(r"`([^`\n]+)`", prose)
    for line in written:
        words = line.partition("#")[0].split(" > ")[0].split()
        if len(words) > 1 and words[0] in PROGRAMS:
            yield shlex.split(" ".join(words))


def targets() -> set[str]:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def refuse_typer(app: typer.Typer, words: list[str]) -> None:
    group = typer.main.get_command(app)
    known = group.commands  # type: ignore[attr-defined]  # several commands make a group of them
    assert words[0] in known, f"no command {words[0]}"
    command = known[words[0]]
    options = {option for parameter in command.params for option in parameter.opts}
    if command.context_settings.get("ignore_unknown_options"):
        return  # what follows is a command of somebody else
    for word in words[1:]:
        assert not word.startswith("-") or word in options, f"{words[0]} has no option {word}"


def refuse_pulumi(words: list[str]) -> None:
    names = [name for name in PULUMI if words[: len(name.split())] == name.split()]
    assert names, "no such command of the engine is known here"
    for word in words[1:]:
        assert not word.startswith("-") or word in PULUMI[names[0]], f"no option {word}"


@EACH_PAGE
def test_every_command_in_the_docs_exists(page: Path) -> None:
    for program, *words in commands(page):
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets(), words
        elif program == "pulumi":
            refuse_pulumi(words)
        else:
            refuse_typer({"lab": lab, "mesh": mesh}[program], words)


def test_commands_are_found_in_blocks_and_in_prose() -> None:
    found = list(commands(PROJECT / "README.md"))
    assert ["make", "lab"] in found
    assert ["pulumi", "up", "-s", "west"] in found
    assert ["lab", "down"] in found


@EACH_PAGE
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The headings as GitHub names them in a link."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_decision_is_listed() -> None:
    listed = re.findall(r"\]\((\d[^)]+)\)", (DECISIONS / "README.md").read_text(encoding="utf-8"))
    assert listed == sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [PROJECT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#:\s]+\.md)[^)]*\)", page.read_text(encoding="utf-8"))
        ahead += [(page.parent / link).resolve() for link in links]
    assert set(PAGES) <= reached


@EACH_PAGE
def test_no_page_names_the_machine_it_was_written_on(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert str(PROJECT) not in text
    assert not re.search(r"/(home|root|tmp|work|workspace)/\w", text)


def test_the_reference_is_what_the_settings_say() -> None:
    again = "run `python -m tests.docs.settings_reference`"
    assert REFERENCE.read_text(encoding="utf-8") == reference(), again


def test_the_readme_is_one_page() -> None:
    lines = (PROJECT / "README.md").read_text(encoding="utf-8").splitlines()
    inside = lines.index("<!-- (end of lab output) -->") - lines.index("<!-- lab output -->")
    assert len(lines) - inside <= 100
