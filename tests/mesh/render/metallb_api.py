"""An API server that knows MetalLB's kinds from the real chart, with nothing behind them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import kubernetes
import pytest
import yaml
from kubernetes.client.exceptions import ApiException

from mesh.render.metallb import metallb_values
from tests.cli.conftest import Kubernetes
from tests.mesh.render import charts
from tests.mesh.render.clusters import settings

client: Any = kubernetes  # only half typed
PLURALS = {
    "BGPAdvertisement": "bgpadvertisements",
    "BGPPeer": "bgppeers",
    "IPAddressPool": "ipaddresspools",
    "L2Advertisement": "l2advertisements",
}


@dataclass(frozen=True)
class MetalLbApi:
    """What may be asked of the API server about MetalLB's objects."""

    connection: Any

    def refusal(self, manifest: Mapping[str, Any]) -> str:
        """Why the API server does not take an object; empty when it does. Nothing is kept."""
        group, _, version = manifest["apiVersion"].partition("/")
        objects = client.client.CustomObjectsApi(self.connection)
        try:
            objects.create_namespaced_custom_object(
                group,
                version,
                manifest["metadata"]["namespace"],
                PLURALS[manifest["kind"]],
                dict(manifest),
                dry_run="All",
                # As kubectl does: a field nobody knows is an error, not passed over.
                field_validation="Strict",
            )
        except ApiException as error:
            return str(error.body)
        return ""


@pytest.fixture(scope="module")
def metallb_api(kubernetes: Kubernetes) -> Iterator[MetalLbApi]:
    connection = client.config.new_client_from_config_dict(yaml.safe_load(kubernetes.kubeconfig))
    install_kinds(connection)
    yield MetalLbApi(connection)
    connection.close()


def install_kinds(connection: Any) -> None:
    """Create MetalLB's namespace and kinds; returns when all are served."""
    namespace = {"metadata": {"name": "metallb-system"}}
    client.client.CoreV1Api(connection).create_namespace(namespace)
    kinds = client.client.ApiextensionsV1Api(connection)
    manifests = charts.rendered(
        charts.metallb_chart(), metallb_values(settings()), "metallb-system"
    )
    for definition in (it for it in manifests if it["kind"] == "CustomResourceDefinition"):
        # It asks the controller, for versions that this program never writes.
        definition["spec"].pop("conversion", None)
        kinds.create_custom_resource_definition(definition)
    watch = client.watch.Watch()
    waiting = {f"{plural}.metallb.io" for plural in PLURALS.values()}
    for event in watch.stream(kinds.list_custom_resource_definition, timeout_seconds=30):
        conditions = event["object"].status.conditions or ()
        if any(it.type == "Established" and it.status == "True" for it in conditions):
            waiting.discard(event["object"].metadata.name)
        if not waiting:
            watch.stop()
    assert not waiting, f"not served: {waiting}"
