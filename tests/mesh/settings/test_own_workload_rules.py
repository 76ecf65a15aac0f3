"""What an own workload may not tell Kubernetes, as `up` would end in the middle."""

from typing import Any

import pytest

from tests.mesh.settings.written import changed, line, read

NOTES: dict[str, Any] = {
    "kind": "custom",
    "image": "registry.example.com/notes:1.2.0",
    "ports": {"client": 8080, "gossip": 8081},
    "clusters": {"east": {"replicas": 1}},
}


def notes(**other: Any) -> dict[str, Any]:
    return changed("workloads", {"notes": NOTES | other})


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (
            {"ports": {"client": 8080, "gossip": 8080}},
            "ports.gossip: 8080 is the one of client too: write another port, or take it out",
        ),
        (
            {"ports": {"client-of-all-pages": 8080}},
            (
                "ports.client-of-all-pages: 'client-of-all-pages' is 19 characters long: "
                "write at most 15"
            ),
        ),
        (
            {"ports": {"a--b": 8080}},
            (
                "ports.a--b: 'a--b' is not the name of a port: "
                "write a-z, 0-9 and single -, with a letter first and no - at the end"
            ),
        ),
        (
            {"image": "https://registry.example.com/notes:1.2.0"},
            (
                "image: 'https://registry.example.com/notes:1.2.0' begins with https://: "
                "write registry.example.com/notes:1.2.0"
            ),
        ),
        (
            {"image": "notes 1.2.0"},
            (
                "image: 'notes 1.2.0' has blanks in it: "
                "write one like registry.example.com/notes:1.2.0"
            ),
        ),
        (
            {"environment": {"POD_NAME": "notes"}},
            (
                "environment.POD_NAME: is set by the program, for the placeholder of that name: "
                "take it out, or write another name"
            ),
        ),
        (
            {"environment": {"JOIN=": "notes"}},
            "environment.JOIN=: is no name of a variable: write one like JOIN",
        ),
        (
            {"mountPath": "/certificates"},
            (
                "mountPath: '/certificates' is in /certificates, which the program mounts: "
                "write one like /var/lib/notes"
            ),
        ),
        (
            {"configuration": {"path": "/configuration/notes.conf", "text": ""}},
            (
                "configuration.path: '/configuration/notes.conf' is in /configuration, "
                "which the program mounts: write one like /etc/notes/notes.conf"
            ),
        ),
        (
            {"mountPath": "/notes", "configuration": {"path": "/notes", "text": ""}},
            "configuration.path: '/notes' is mountPath too: write one like /etc/notes/notes.conf",
        ),
    ],
)
def test_what_kubernetes_refuses_is_refused_before(written: dict[str, Any], says: str) -> None:
    assert line(notes(**written)) == f"Pulumi.yaml: workloads.notes.{says}"


def test_a_file_may_lie_on_the_volume_and_names_may_begin_like_ours() -> None:
    own = {"mountPath": "/certificates-of-notes", "environment": {"MEMBERS_OF_NOTES": "${MEMBERS}"}}
    file = {"path": "/certificates-of-notes/notes.conf", "text": ""}
    assert read(notes(**own, configuration=file)).workloads["notes"].mount_path


@pytest.mark.parametrize("path", ["/", "/health/", "/health?ready=1"])
def test_readiness_is_asked_at_any_path(path: str) -> None:
    assert read(notes(readinessPath=path)).workloads["notes"].readiness_path == path


def test_what_is_no_path_of_a_url_is_refused_with_one() -> None:
    says = "Pulumi.yaml: workloads.notes.readinessPath: 'health' is no path of a URL"
    assert line(notes(readinessPath="health")) == f"{says}: write one like /health"
