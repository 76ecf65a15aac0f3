"""Members of a workload as real processes: what its manifests say, on machines of a test."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mesh.pki import KeyPair
from mesh.workloads import Site, Workload, key_pairs, manifests, secret_data


@dataclass(frozen=True)
class Process:
    """What kubelet starts."""

    words: list[str]
    environment: dict[str, str]

    def moved(self, root: str, directory: Path) -> "Process":
        """The same with the paths below `root` in a directory of the test's."""
        words = [word.replace(root, f"{directory}{root}") for word in self.words]
        return Process(words, self.environment)


def pod(workload: Workload, site: Site, number: int) -> Process:
    """The container of one member: command line and environment, as kubelet makes them."""
    objects = manifests(workload, site, 1)
    [template] = [one["spec"]["template"] for one in objects if one["kind"] == "StatefulSet"]
    [container] = template["spec"]["containers"]
    facts = {one["metadata"]["name"]: one["data"] for one in objects if one["kind"] == "ConfigMap"}
    variables: dict[str, str] = {}
    for variable in container["env"]:
        name, source = variable["name"], variable.get("valueFrom", {})
        if reference := source.get("configMapKeyRef"):
            variables[name] = facts[reference["name"]][reference["key"]]
        elif "fieldRef" in source:
            variables[name] = f"{workload.name}-{number}"
        else:
            variables[name] = expanded(variable["value"], variables)
    words = [*container["command"], *container.get("args", [])]
    return Process([expanded(word, variables) for word in words], variables)


def job(workload: Workload, site: Site, task: str) -> Process:
    """The container of a Job."""
    objects = manifests(workload, site, 1)
    [found] = [
        one["spec"]["template"]["spec"]["containers"][0]
        for one in objects
        if one["kind"] == "Job" and f"-{task}-" in one["metadata"]["name"]
    ]
    variables = {one["name"]: one["value"] for one in found["env"]}
    return Process([expanded(word, variables) for word in found["command"]], variables)


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """The text with every `$(NAME)` replaced by Kubernetes' rule: what is unknown stays."""
    for name, value in variables.items():
        text = text.replace(f"$({name})", value)
    return text


def written(
    mesh_ca: KeyPair, workload: Workload, site: Site, directory: Path, *, for_clients: bool
) -> None:
    """Write a Secret's files, as kubelet mounts them."""
    ca = mesh_ca.as_mapping()
    pairs = key_pairs(ca, workload, site, 1)
    directory.mkdir(parents=True, exist_ok=True)
    data = secret_data(ca, pairs, workload, site, for_clients=for_clients)
    for name, text in data.items():
        (directory / name).write_text(text)
