"""Stateful workloads that are spread over clusters."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from mesh.settings.base import Image, Model, Text, refused
from mesh.settings.workload_texts import (
    AbsolutePath,
    Label,
    OwnNamespace,
    PortName,
    Template,
    UrlPath,
)

MOST_REPLICAS = 99
PROGRAM_MOUNTS = ("/certificates", "/configuration")
"""Where the program mounts what it gives to every member."""
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
    image: Image | None = Field(default=None, examples=["registry.example.com/notes:1.2.0"])
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
