"""A comparison as a person reads it: in a terminal, in a pull request; and as JSON."""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from cli.preview.comparison import Comparison
from cli.preview.summary import summary
from cli.preview.texts import RESOURCES, differences, like, texts

GITHUB_LIMIT = 65_536
"""Characters that a comment on GitHub may have."""
_SENTENCES = 24
_SENTENCE = 400
_ONE_LINE = 160


def headlines(comparison: Comparison) -> tuple[str, ...]:
    """The summary as lines, each beginning with the stack: one when all of it is short."""
    stack = comparison.now.stack
    sentences = [_short(one) for one in _summary(comparison)]
    if not sentences:
        return (f"{stack}: no changes",)
    if len(sentences) > _SENTENCES:
        more = len(sentences) - _SENTENCES
        # The first ones are about machines and the last one counts them: never left out.
        sentences = [*sentences[: _SENTENCES - 1], f"{more} more changes", sentences[-1]]
    line = f"{stack}: {'; '.join(sentences)}"
    return (line,) if len(line) <= _ONE_LINE else tuple(f"{stack}: {one}" for one in sentences)


def as_text(comparison: Comparison) -> str:
    """Summary, differences, then everything that the stack consists of."""
    parts = ["".join(f"{line}\n" for line in headlines(comparison))]
    parts.append(f"compared with {comparison.against}\n")
    for name, lines in _differences(comparison).items():
        parts.append(_headed(f"{name}: what changes", lines))
    parts += [_headed(name, text) for name, text in _shortened(texts(comparison.now)).items()]
    return "\n".join(parts)


def as_markdown(comparison: Comparison) -> str:
    """A comment of at most 65,536 characters: summary first, then differences, then the tree."""
    stack = comparison.now.stack
    parts = [_mark(stack), *_markdown_headlines(comparison), "\n"]
    parts.append(f"Compared with {_escaped(comparison.against)}, without a vCenter.\n")
    left_out: list[str] = []
    room = GITHUB_LIMIT - sum(map(len, parts)) - 2_000
    for name, fence, text in _blocks(comparison):
        block = _details(name, fence, text)
        if len(block) > room:
            left_out.append(name)
            continue
        room -= len(block)
        parts.append(block)
    return "".join([*parts, _rest(stack, left_out)])


def refusal(stack: str, words: str) -> str:
    """The comment where the program refuses its settings: every problem, as the terminal has it."""
    text = f"{words[: GITHUB_LIMIT // 2]}\n"
    fence = _fence(text)
    head = f"{_mark(stack)}**{_escaped(stack)}**: refused, and nothing would be made"
    return f"{head}\n\n{fence}\n{text}{fence}\n"


def as_document(comparison: Comparison) -> dict[str, Any]:
    """The same for programs."""
    return {
        "stack": comparison.now.stack,
        "against": comparison.against,
        "summary": list(_summary(comparison)),
        "differences": _differences(comparison),
        "texts": texts(comparison.now),
        "resources": [asdict(resource) for resource in comparison.now.resources],
    }


def _summary(comparison: Comparison) -> tuple[str, ...]:
    return summary(comparison.base, comparison.now, comparison.unknown)


def _mark(stack: str) -> str:
    """By it a workflow finds the comment again that it is to edit."""
    return f"<!-- mesh-preview:{stack} -->\n"


def _differences(comparison: Comparison) -> dict[str, str]:
    return differences(comparison.base, comparison.now) if comparison.base else {}


def _shortened(all_texts: Mapping[str, str]) -> dict[str, str]:
    """The texts, with each machine's told as the difference from the first worker's."""
    first: dict[str, str] = {}
    shown = {}
    for name, text in all_texts.items():
        kind, of, machine = name.partition(" of ")
        group = f"{kind} {machine.rstrip('0123456789')}"
        shown[name] = like(text, all_texts[first[group]], first[group]) if group in first else text
        if of:
            first.setdefault(group, name)
    return shown


def _headed(title: str, text: str) -> str:
    return f"{title}\n{'=' * len(title)}\n{text}"


def _blocks(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    for name, lines in _differences(comparison).items():
        yield name, "diff", lines
    shown = _shortened(texts(comparison.now))
    if comparison.base is None:
        yield from ((name, "", text) for name, text in shown.items())
    else:
        yield f"all {RESOURCES}", "", shown[RESOURCES]


def _markdown_headlines(comparison: Comparison) -> Iterator[str]:
    lines = headlines(comparison)
    mark = "" if len(lines) == 1 else "* "
    for line in lines:
        stack, colon, rest = line.partition(":")
        yield f"{mark}**{_escaped(stack)}**{colon}{_escaped(rest)}\n"


def _details(name: str, language: str, text: str) -> str:
    fence = _fence(text)
    title = _escaped(name)
    return (
        f"\n<details><summary>{title}</summary>\n\n{fence}{language}\n{text}{fence}\n\n</details>\n"
    )


def _fence(text: str) -> str:
    # Longer than any in the text, which could otherwise end the block and go on as Markdown.
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _rest(stack: str, left_out: list[str]) -> str:
    where = f"`make preview STACK={stack}` prints all of it, as does the artifact of this run."
    if not left_out:
        return f"\n{where}\n"
    names = _escaped(_short(", ".join(left_out)))
    return f"\nToo long for a comment: {names}. {where}\n"


def _escaped(text: str) -> str:
    """Words that are no Markdown, no HTML and call nobody, whatever a stack file says."""
    special = re.sub(r"([\\`*_\[\]~|#])", r"\\\1", html.escape(text, quote=False))
    return special.replace("@", "&#64;")


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= _SENTENCE else f"{sentence[:_SENTENCE]}…"
