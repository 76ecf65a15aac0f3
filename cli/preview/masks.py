"""Takes secrets, and what is made anew in every run, out of what a run recorded."""

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from cli.preview.mocks import is_secret, unwrap
from cli.preview.program import Run

PUBLIC = {"certificate", "public"}
"""The parts of what is made once that are no secret, and yet new in every run."""
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*KEY-----", re.S)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)?")


class Masks:
    """Stands the same words in place of every secret, key, certificate and moment of a run."""

    def __init__(self, run: Run) -> None:
        made = dict(_made_once(run))
        # The longest first: a shorter one may be part of it.
        self._masks = [(_pattern(text), made[text]) for text in sorted(made, key=len, reverse=True)]

    def text(self, text: str) -> str:
        """A text without secrets, also where they stand indented, in base64 or compressed."""
        for pattern, mask in self._masks:
            text = pattern.sub(mask, text)
        text = _TIME.sub("<time>", _PRIVATE_KEY.sub("<secret: private key>", text))
        return _ENCODED.sub(lambda found: self._unless_it_hides(found.group()), text)

    def value(self, value: Any) -> Any:  # noqa: ANN401 - whatever was recorded
        """A recorded value without secrets; keys in their order, whole numbers as such."""
        if is_secret(value):
            return "<secret>"
        if isinstance(value, dict):
            return {key: self.value(value[key]) for key in sorted(value)}
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return self.text(value) if isinstance(value, str) else value

    def guestinfo(self, keys: Mapping[str, str]) -> dict[str, str]:
        """What a VM boots with, decoded."""
        return {
            key: self.text(_decoded(value.encode()) or value)
            for key, value in sorted(keys.items())
            if not key.endswith(".encoding")
        }

    def _unless_it_hides(self, token: str) -> str:
        inner = _decoded(token.encode())
        return token if inner is None or self.text(inner) == inner else "<secret>"


def _made_once(run: Run) -> Iterator[tuple[str, str]]:
    """Every text that the program makes and keeps, with the words to stand in its place."""
    cluster = next((one.name for one in run.made if one.type.endswith(":MeshCluster")), "")
    for stash in run.of("Stash"):
        if is_secret(stash.inputs["input"]):
            name = stash.name.removeprefix(f"{cluster}-").removeprefix("secrets")
            yield from _leaves(unwrap(stash.inputs["input"]), (name,))


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, str) and value:
        words = " ".join(_words(part) for part in path if part)
        mask = f"<made once: {words}>" if path[-1] in PUBLIC else f"<secret: {words}>"
        yield from ((form, mask) for form in _forms(value))
        if path[-1] == "certificate":
            yield _public_key_hash(value), f"<made once: hash of {words}>"


def _words(part: str) -> str:
    words = re.sub("([A-Z])", r" \1", part.replace("-", " ")).lower()
    return re.sub(r"\bca\b", "CA", words)


def _forms(value: str) -> Iterator[str]:
    yield value.strip()
    for text in {value, value.strip(), f"{value.strip()}\n"}:
        yield base64.b64encode(text.encode()).decode()


def _public_key_hash(certificate: str) -> str:
    """How a joining node names the CA that it trusts."""
    key = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).hexdigest()


def _pattern(text: str) -> re.Pattern[str]:
    lines = [re.escape(line) for line in text.splitlines()]
    if len(lines) == 1:
        # YAML quotes a token that begins with a digit, which is chance.
        return re.compile(f'"?{lines[0]}"?')
    # Inside YAML the lines of a key are indented, inside JSON there are none.
    return re.compile(r"(?:\s+|\\n)".join(lines))


def _decoded(encoded: bytes) -> str | None:
    """The text behind base64, compressed or not; None where there is none."""
    try:
        content = base64.b64decode(encoded, validate=True)
        return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
    except (ValueError, OSError, EOFError):
        return None
