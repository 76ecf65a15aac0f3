"""A Corefile as data, and its text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """A directive and, when it has any, the lines between its braces."""

    head: str
    body: "tuple[Block | str, ...]"


def text(block: Block, indent: str = "") -> str:
    """The block as CoreDNS reads it, indented as kubeadm does: four spaces, then three."""
    inner = f"{indent}   " if indent else "    "
    lines = (
        text(part, inner) if isinstance(part, Block) else f"{inner}{part}\n" for part in block.body
    )
    return f"{indent}{block.head} {{\n{''.join(lines)}{indent}}}\n"
