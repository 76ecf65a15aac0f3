"""Stateful workloads that are spread over clusters."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from mesh.settings.base import Model, Text, matching, refused
from mesh.settings.namespaces import OTHERS_PATTERN, is_in_every_cluster

MOST_REPLICAS = 99
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
PROGRAM_MOUNTS = ("/certificates", "/configuration")
"""Where the program mounts what it gives to every member."""


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
Port = Annotated[int, Field(ge=1, le=65535)]


class WorkloadClusterSettings(Model):
    """The part of a workload that one cluster has."""

    replicas: int = Field(ge=0, le=MOST_REPLICAS, examples=[1])
    """Members in this cluster; 0 keeps their volumes."""
    namespace: OwnNamespace | None = Field(default=None, examples=["ledger-east"])
    """Namespace in this cluster, where it isn't the workload's."""
    region: Text | None = Field(default=None, examples=["us-east-1"])
    """Region that the members are told to be in; absent is the cluster's name."""
    zone: Text | None = Field(default=None, examples=["us-east-1b"])
    """Zone in the region that the members are told to be in; absent is the cluster's name."""
    storage_class: Text | None = Field(default=None, examples=["thin-disk"])
    """StorageClass of the members' volumes, for ever; absent is the cluster's default."""
    node_selector: dict[str, str] = Field(default={}, examples=[{"disk": "fast"}])
    """Labels of the nodes that members may run on."""


class ConfigurationSettings(Model):
    """A file that a workload reads at its start."""

    path: AbsolutePath = Field(examples=["/etc/notes/notes.conf"])
    """Where the file lies in a member's container."""
    text: Template = Field(examples=["peers = ${SEEDS}"])
    """What is in it; placeholders such as `${MEMBERS}` are filled in for each member."""


class WorkloadSettings(Model):
    """A StatefulSet in several clusters whose members know each other by name."""

    kind: Literal["cockroachdb", "custom", "etcd", "galera", "mongodb"] = Field(examples=["etcd"])
    """What runs: a database this program knows, or `custom` for an image of your own."""
    namespace: OwnNamespace | None = Field(default=None, examples=["ledger"])
    """Namespace the program makes for it in every cluster; absent is the workload's name."""
    image: Text | None = Field(default=None, examples=["registry.example.com/notes:1.2.0"])
    """Container image, as it is pulled; absent is the kind's own, and `custom` has none."""
    volume_gib: int = Field(default=8, ge=1, le=65536)
    """Size of each member's volume in GiB; a StatefulSet that is there keeps its own."""
    client_namespaces: tuple[Label, ...] = Field(default=(), examples=[["shop"]])
    """Namespaces that find the workload as `<name>-public` and get a client certificate."""
    licence_secret: Label | None = Field(default=None, examples=["cockroachdb-licence"])
    """Secret with CockroachDB's key at `licence`, in the first cluster; for that kind only."""
    clusters: dict[str, WorkloadClusterSettings] = Field(examples=[{"east": {"replicas": 1}}])
    """Its members in each cluster, by the stack's name."""
    command: tuple[Template, ...] = Field(default=(), examples=[["notes", "serve"]])
    """Program to start in place of the image's own; `custom` only, as all below."""
    arguments: tuple[Template, ...] = Field(default=(), examples=[["--join=${SEEDS}"]])
    """Arguments of the program, with placeholders such as `${SEEDS}`."""
    environment: dict[str, Template] = Field(default={}, examples=[{"JOIN": "${SEEDS}"}])
    """Environment variables, with placeholders."""
    ports: dict[PortName, Port] = Field(default={}, examples=[{"client": 8080}])
    """TCP ports by name; the first is the one of `${MEMBER_ADDRESSES}` and of readiness."""
    mount_path: AbsolutePath = "/data"
    """Where a member's volume lies in its container."""
    readiness_path: UrlPath | None = Field(default=None, examples=["/health"])
    """Path that answers by HTTP when a member is ready; absent is a port that is open."""
    configuration: ConfigurationSettings | None = None
    """A file that the members read."""

    @field_validator("clusters")
    @classmethod
    def clusters_are_named(
        cls, value: dict[str, WorkloadClusterSettings]
    ) -> dict[str, WorkloadClusterSettings]:
        """A workload is in one cluster at least."""
        if not value:
            raise refused("is empty", "write one like {east: {replicas: 1}}")
        return value

    def namespace_in(self, name: str, stack: str) -> str:
        """The namespace that the workload of this name has in a cluster."""
        return self.clusters[stack].namespace or self.namespace or name
