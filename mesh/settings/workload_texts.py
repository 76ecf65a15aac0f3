"""The texts of a workload that Kubernetes, or the program, takes in one form only."""

import re
from typing import Annotated

from pydantic import AfterValidator

from mesh.settings.base import matching, refused
from mesh.settings.namespaces import OTHERS_PATTERN, is_in_every_cluster

_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PATH = re.compile(r"(/[^/\s$]+)+")
_PORT_NAME = re.compile(r"[a-z](-?[a-z0-9])*")
_URL_PATH = re.compile(r"/\S*")
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
PLACEHOLDERS = (
    "MEMBERS",
    "MEMBER_ADDRESSES",
    "SEEDS",
    "SEED_ADDRESSES",
    "MEMBER_NAME",
    "POD_NAME",
    "CLUSTER",
    "REGION",
    "ZONE",
)
"""What an own workload may write as `${NAME}`; each is an environment variable of its pods too."""


def label(value: str) -> str:
    """A name that a Service or a namespace can have: 1 to 40 of a-z, 0-9 and -, a letter first.

    Kubernetes takes 63; the names of pods and Jobs are made of this one, and have more behind it.
    """
    if len(value) > 40:
        raise refused(f"is {len(value)} characters long", "write at most 40")
    if not _LABEL.fullmatch(value):
        instead = "write a-z, 0-9 and -, with a letter first and no - at the end"
        raise refused("is not a name that Kubernetes takes", instead)
    return value


def own_namespace(value: str) -> str:
    """A namespace that the program may make, and nobody else has."""
    if is_in_every_cluster(value):
        raise refused("is a namespace of others", "write one like ledger")
    return label(value)


def port_name(value: str) -> str:
    """A name that a container's port can have: 1 to 15 of a-z, 0-9 and single -, a letter first."""
    if len(value) > 15:
        raise refused(f"is {len(value)} characters long", "write at most 15")
    if not _PORT_NAME.fullmatch(value):
        instead = "write a-z, 0-9 and single -, with a letter first and no - at the end"
        raise refused("is not the name of a port", instead)
    return value


def path(value: str) -> str:
    """An absolute path without blanks."""
    if not _PATH.fullmatch(value):
        raise refused("is not an absolute path", "write one like /var/lib/ledger")
    return value


def url_path(value: str) -> str:
    """A path of a URL without blanks, `/` alone too."""
    if not _URL_PATH.fullmatch(value):
        raise refused("is no path of a URL", "write one like /health")
    return value


def known_placeholders(value: str) -> str:
    """A text whose every `${NAME}` is one that the program fills in."""
    for name in _PLACEHOLDER.findall(value):
        if name not in PLACEHOLDERS:
            known = ", ".join(PLACEHOLDERS)
            raise refused(f"has the unknown placeholder ${{{name}}}", f"write one of {known}")
    return value


Label = Annotated[str, AfterValidator(label), matching(rf"(?=.{{1,40}}$){_LABEL.pattern}")]
OwnNamespace = Annotated[
    str,
    AfterValidator(own_namespace),
    matching(rf"{OTHERS_PATTERN}(?=.{{1,40}}$){_LABEL.pattern}"),
]
PortName = Annotated[
    str, AfterValidator(port_name), matching(rf"(?=.{{1,15}}$){_PORT_NAME.pattern}")
]
AbsolutePath = Annotated[str, AfterValidator(path), matching(_PATH.pattern.replace(r"\s", " "))]
UrlPath = Annotated[str, AfterValidator(url_path), matching(_URL_PATH.pattern)]
Template = Annotated[str, AfterValidator(known_placeholders)]
