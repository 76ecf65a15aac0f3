"""The volumes of the lab, without a lab: what the manifest asks for and the images have."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lab import kubectl, storage
from lab.images.contents import TOOLBOX
from lab.programs import program

MANIFEST = Path(storage.__file__).with_suffix(".yaml")


def objects(kind: str) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(MANIFEST.read_text()) if each["kind"] == kind]


def test_there_is_one_storage_class_and_claims_that_name_none_take_it() -> None:
    [found] = objects("StorageClass")
    assert found["metadata"]["name"] == "local-path"
    chosen = found["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"]
    assert chosen == "true"


def test_the_provisioner_is_the_one_of_the_table_of_programs() -> None:
    [deployment] = objects("Deployment")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    version = program("local-path-provisioner").version
    assert container["image"] == f"rancher/local-path-provisioner:{version}"


def test_a_volume_is_made_by_an_image_that_lies_on_every_node_and_has_a_shell() -> None:
    [configuration] = objects("ConfigMap")
    helper = yaml.safe_load(configuration["data"]["helperPod.yaml"])
    [container] = helper["spec"]["containers"]
    assert (container["image"], container["imagePullPolicy"]) == (TOOLBOX, "Never")


def test_it_is_applied_to_the_cluster_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(kubectl, "run", lambda *words: asked.append(words))
    storage.install("west")
    assert asked == [("west", "apply", f"--filename={MANIFEST}")]
