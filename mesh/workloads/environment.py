"""The environment variables that every member and every task has."""

from collections.abc import Iterable, Mapping
from typing import Any

from mesh.workloads.software import Software, configured
from mesh.workloads.workload import Site, Workload

Variables = dict[str, str | Mapping[str, Any]]


def facts(workload: Workload, ports: Mapping[str, int]) -> dict[str, str]:
    """What all clusters say alike: the members and the seeds, and with the port clients dial."""
    port = next(iter(ports.values()))
    members, seeds = workload.members(), workload.seeds()
    return {
        "MEMBERS": ",".join(members),
        "MEMBER_ADDRESSES": _addresses(members, port),
        "SEEDS": ",".join(seeds),
        "SEED_ADDRESSES": _addresses(seeds, port),
    }


def place(site: Site) -> dict[str, str]:
    """Where the members of one cluster are."""
    return {"CLUSTER": site.settings.cluster.name, "REGION": site.region, "ZONE": site.zone}


def member_variables(workload: Workload, site: Site, software: Software) -> Variables:
    """The variables of a member: values that change with the members are read by reference."""
    return {
        "POD_NAME": {"fieldRef": {"fieldPath": "metadata.name"}},
        "MEMBER_NAME": f"$(POD_NAME).{site.workload}.{site.domain}",
        **place(site),
        **{name: configured(site, name) for name in facts(workload, software.ports)},
        **software.environment,
    }


def task_variables(workload: Workload, site: Site, software: Software) -> Variables:
    """The variables of a Job: plain values, so that other members make another Job."""
    return {**place(site), **facts(workload, software.ports), **software.facts}


def as_list(variables: Variables) -> list[dict[str, Any]]:
    """The variables as a container's `env`, in their order: a value may name earlier ones."""
    return [
        {"name": name, "value": value}
        if isinstance(value, str)
        else {"name": name, "valueFrom": dict(value)}
        for name, value in variables.items()
    ]


def _addresses(names: Iterable[str], port: int) -> str:
    return ",".join(f"{name}:{port}" for name in names)
