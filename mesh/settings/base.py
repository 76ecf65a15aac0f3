"""The ground all settings stand on: one frozen base and the value types several of them share."""

import re
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Interface,
    NetmaskValueError,
)
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    WithJsonSchema,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_LOOPBACK = IPv4Network("127.0.0.0/8")
_MULTICAST = IPv4Network("224.0.0.0/4")


class Model(BaseModel):
    """A group of settings: camelCase in YAML, unknown keys refused, never changed once read."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,  # true is no number 1, and a text 'no' is no false
        use_attribute_docstrings=True,
    )

    @field_validator("*", mode="before")
    @classmethod
    def yaml_lists_are_tuples(cls, value: object) -> object:
        """What never changes once read has no lists."""
        return tuple(value) if isinstance(value, list) else value


def refused(reason: str, instead: str) -> PydanticCustomError:
    """The error of a value that has the right type and is still wrong.

    `reason` continues the sentence that begins with the value; `instead` says what to write.
    """
    words = {"reason": reason, "instead": instead}
    return PydanticCustomError("refused", "{reason}: {instead}", words)


def address(value: object) -> IPv4Address:
    """One IPv4 address; refuses numbers, which `ipaddress` would happily take."""
    return address_or(value, "write one like 10.11.84.1")


def address_or(value: object, instead: str) -> IPv4Address:
    """One IPv4 address; what is none is refused with the words `instead`."""
    if isinstance(value, IPv4Address):
        return value
    try:
        return IPv4Address(value if isinstance(value, str) else "")
    except AddressValueError:
        raise no_ipv4(value, "is not an IPv4 address", instead) from None


def network(value: object) -> IPv4Network:
    """One IPv4 range; one with host bits set is refused, and the error names the right one."""
    if isinstance(value, IPv4Network):
        return value
    try:
        written = IPv4Network(value if isinstance(value, str) else "", strict=False)
    except (AddressValueError, NetmaskValueError):
        instead = "write one like 10.101.0.0/16"
        raise no_ipv4(value, "is not a network", instead) from None
    if "/" not in str(value):
        raise refused("has no prefix length", f"write one like {value}/16")
    if written.overlaps(_MULTICAST):
        raise refused("holds multicast addresses", "write one like 10.101.0.0/16")
    if str(written.network_address) != str(value).partition("/")[0]:
        raise refused("does not begin where its range begins", f"write {written}")
    return written


def no_ipv4(value: object, reason: str, instead: str) -> PydanticCustomError:
    """The error of what is no IPv4; IPv6 is named, as it is not built (docs/known-gaps.md)."""
    parts = value.replace("-", ",").split(",") if isinstance(value, str) else []
    if any(_is_ipv6(part.strip()) for part in parts):
        kind = "range" if "/" in str(value) or len(parts) > 1 else "address"
        reason = f"is an IPv6 {kind}" if all(":" in part for part in parts) else "holds IPv6"
        instead = f"{instead}; the mesh is IPv4 only"
    return refused(reason, instead)


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Interface(text)
    except ValueError:
        return False
    return True


def inner_network(value: IPv4Network) -> IPv4Network:
    """A range that exists inside a cluster only, where loopback never leaves a node."""
    if value.overlaps(_LOOPBACK):
        raise refused("holds loopback addresses", "write one like 10.101.0.0/16")
    return value


def text(value: str) -> str:
    """A text with something in it and no blanks around it."""
    if not value.strip():
        raise refused("is empty", "write a name")
    if value != value.strip():
        raise refused("has blanks around it", f"write {value.strip()}")
    return value


def without_scheme(value: str) -> str:
    """A text without the scheme a URL has."""
    scheme, slashes, rest = value.partition("://")
    if slashes:
        raise refused(f"begins with {scheme}://", f"write {rest.strip('/') or 'a name'}")
    return text(value)


def image(value: str) -> str:
    """A container image as a runtime pulls it: no scheme before it, no blanks in it."""
    name = without_scheme(value)
    if len(name.split()) > 1:
        raise refused("has blanks in it", "write one like registry.example.com/notes:1.2.0")
    return name


def dns_zone(value: str) -> str:
    """A lower-case DNS name of two labels or more, not in .local, without the dot at its end."""
    labels = value.split(".")
    if len(labels) < 2:
        raise refused("is a single label", "write a zone of two labels or more, east.mesh.example")
    if len(value) > 253 or not all(_DNS_LABEL.fullmatch(label) for label in labels):
        raise refused("is not a lower-case DNS name", "write one like east.mesh.example")
    if labels[-1] == "local":
        own = labels[-2] == "cluster"
        reason = "is in every cluster's own domain" if own else "ends in .local, kept for mDNS"
        raise refused(reason, "write one like east.mesh.example")
    return value


def matching(pattern: str) -> WithJsonSchema:
    """What an editor can check of a text before the program does."""
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


Address = Annotated[IPv4Address, BeforeValidator(address)]
Network = Annotated[IPv4Network, BeforeValidator(network)]
InnerNetwork = Annotated[Network, AfterValidator(inner_network)]
Text = Annotated[str, AfterValidator(text), matching(r"\S(.*\S)?")]
Registry = Annotated[str, AfterValidator(without_scheme), matching(r"(?!.*://)\S(.*\S)?")]
Image = Annotated[str, AfterValidator(image), matching(r"(?!.*://)\S+")]
DnsZone = Annotated[
    str,
    AfterValidator(dns_zone),
    matching(rf"(?!.*\.local$)(?=.{{1,253}}$){_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})+"),
]
