"""A real API server takes every object of every kind of workload, and warns of nothing."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client, dynamic

from mesh.workloads import manifests, namespace, secret_manifests
from tests.dns import kubernetes_api
from tests.dns.hosts import Network
from tests.dns.kubernetes_api import KubernetesApi
from tests.mesh.workloads.written import NOTES, workload

pytestmark = pytest.mark.engine
WRITTEN: dict[str, dict[str, Any]] = {
    "etcd": {"kind": "etcd"},
    "custom": {**NOTES, "readinessPath": "/health", "environment": {"JOIN": "${SEEDS}"}},
    **{kind: {"kind": kind} for kind in ("galera", "cockroachdb", "mongodb")},
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubernetesApi]:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: the API server is on a machine of its own, a network namespace")
    directory = tmp_path_factory.mktemp("api")
    with (
        Network() as network,
        kubernetes_api.serving(network.host("10.11.87.1"), directory, "10.201.0.0/16") as made,
    ):
        kubernetes_api.wait(made)
        yield made


def secrets(found: Any, stack: str) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"namespace": space, "name": name},
            "stringData": {"ca.crt": "text"},
        }
        for space, name in secret_manifests(found, found.site(stack))
    ]


def strictly_taken(api: KubernetesApi, objects: list[dict[str, Any]]) -> None:
    """Make all objects; a field that the API server doesn't know is refused."""

    def make() -> None:
        with api._client() as connection:
            resources = dynamic.DynamicClient(connection).resources  # type: ignore[no-untyped-call]
            for one in objects:
                kind = resources.get(api_version=one["apiVersion"], kind=one["kind"])
                place = one["metadata"].get("namespace")
                kind.create(body=one, namespace=place, query_params=[("fieldValidation", "Strict")])

    api.host.run(make)


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("stack", ["east", "west"])
def test_the_api_server_takes_every_object(api: KubernetesApi, kind: str, stack: str) -> None:
    shares = {name: {"replicas": 1, "nodeSelector": {"disk": "fast"}} for name in ("east", "west")}
    alone = {"namespace": f"{kind}-{stack}", "clusters": shares}
    found = workload({**WRITTEN[kind], **alone}, stack)
    site = found.site(stack)
    objects = [namespace(site), *secrets(found, stack), *manifests(found, site, 1)]
    strictly_taken(api, objects)


def test_a_field_nobody_knows_is_refused(api: KubernetesApi) -> None:
    found = workload({**WRITTEN["etcd"], "clusters": {"east": {"replicas": 1}}})
    [pods] = [
        one for one in manifests(found, found.site("east"), 1) if one["kind"] == "StatefulSet"
    ]
    pods["metadata"]["namespace"] = "default"
    pods["spec"]["template"]["spec"]["affinityy"] = {}
    with pytest.raises(client.ApiException, match="affinityy"):
        strictly_taken(api, [pods])
