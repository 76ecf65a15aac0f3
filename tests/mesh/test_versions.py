"""Which releases go together, and what a user reads when they don't."""

import pytest

from mesh.settings import VersionsSettings
from mesh.versions import (
    CORE_DNS,
    KUBERNETES,
    METALLB,
    minor,
    numbers,
    version_notices,
    version_problems,
)
from tests.mesh.topology.written import settings_of


def said(**versions: str) -> list[str]:
    settings = settings_of("east", {f"versions.{name}": value for name, value in versions.items()})
    return [str(problem) for problem in version_problems(settings, "Pulumi.yaml")]


def test_the_defaults_are_in_the_table() -> None:
    defaults = VersionsSettings()
    assert minor(defaults.kubernetes) in KUBERNETES[minor(defaults.cilium)]
    assert minor(defaults.metallb) in METALLB
    assert said() == []


def test_every_kubernetes_in_the_table_has_its_core_dns() -> None:
    assert {one for minors in KUBERNETES.values() for one in minors} == {*CORE_DNS}


@pytest.mark.parametrize(
    ("cilium", "kubernetes"),
    [("1.19.6", "1.34.0"), ("1.19.6", "1.35.2"), ("1.20.2", "1.34.9"), ("1.20.9", "1.36.0")],
)
def test_what_is_tested_together_is_taken(cilium: str, kubernetes: str) -> None:
    assert said(cilium=cilium, kubernetes=kubernetes) == []


@pytest.mark.parametrize(
    ("versions", "says"),
    [
        (
            {"kubernetes": "1.37.0"},
            "kubernetes: '1.37.0' is no release this program knows: write a 1.34, 1.35 or 1.36",
        ),
        (
            {"cilium": "1.18.12"},
            "cilium: '1.18.12' is no release this program knows: write a 1.19 or 1.20",
        ),
        (
            {"cilium": "1.21.0-pre.0"},
            "cilium: '1.21.0-pre.0' is no release this program knows: write a 1.19 or 1.20",
        ),
        (
            {"metallb": "0.14.9"},
            "metallb: '0.14.9' is no release this program knows: write a 0.15 or 0.16",
        ),
        (
            {"cilium": "1.19.6"},
            (
                "kubernetes: '1.36.3' is not what Cilium 1.19 is tested with: "
                "write a 1.34 or 1.35, or another versions.cilium"
            ),
        ),
        (
            {"kubernetes": "1.33.4"},
            (
                "kubernetes: '1.33.4' brings CoreDNS 1.12.0, and the Corefile needs 1.12.1: "
                "write a 1.34, 1.35 or 1.36"
            ),
        ),
    ],
)
def test_another_release_is_refused_with_those_that_are_known(
    versions: dict[str, str], says: str
) -> None:
    assert said(**versions) == [f"Pulumi.yaml: versions.{says}"]


def test_every_unknown_release_is_told_at_once() -> None:
    assert len(said(kubernetes="1.20.0", cilium="1.10.0", metallb="1.0.0")) == 3


def test_a_cilium_that_restarts_something_for_a_new_peer_is_told() -> None:
    old = settings_of("east", {"versions.cilium": "1.19.6", "versions.kubernetes": "1.35.0"})
    [says] = version_notices(old, "Pulumi.yaml")
    assert says.startswith("Pulumi.yaml: versions.cilium: '1.19.6' restarts the mesh's etcd")
    assert version_notices(settings_of("east", {}), "Pulumi.yaml") == ()


def test_versions_are_compared_by_their_numbers() -> None:
    assert numbers("1.9.10") < numbers("1.20.2-rc.1") < numbers("1.20.10")
