import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from lab.images import build_images, images
from lab.images.archive import File, Image, write_archive
from lab.images.contents import GALERA
from lab.images.names import cilium_images, metallb_images
from lab.programs import CILIUM, METALLB, program
from mesh.workloads.kinds import software_of
from tests.mesh.workloads.written import spread, workload

IMAGE = Image(
    reference="registry.example.com/tool:1",
    files=(File("/usr/bin/tool", b"#!/bin/sh\n"), File("/etc/tool.conf", b"a", 0o644)),
    directories=(("/tmp", 0o1777),),
    entrypoint=("/usr/bin/tool",),
    environment=(("HOME", "/tmp"),),
    user="65532",
)


def read(archive: Path) -> tuple[dict[str, Any], dict[str, Any], list[tarfile.TarInfo]]:
    with tarfile.open(archive) as outer:

        def member(name: str) -> Any:
            content = outer.extractfile(name)
            assert content
            return content

        manifest = json.load(member("manifest.json"))[0]
        configuration = json.load(member(manifest["Config"]))
        with tarfile.open(fileobj=member(manifest["Layers"][-1])) as layer:
            return manifest, configuration, layer.getmembers()


def test_the_same_image_gives_the_same_bytes(tmp_path: Path) -> None:
    write_archive(IMAGE, tmp_path / "one.tar")
    write_archive(IMAGE, tmp_path / "two.tar")
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tar", "two.tar"]


def test_an_archive_names_the_image_and_how_it_starts(tmp_path: Path) -> None:
    write_archive(IMAGE, tmp_path / "image.tar")
    manifest, configuration, _ = read(tmp_path / "image.tar")
    assert manifest["RepoTags"] == ["registry.example.com/tool:1"]
    assert configuration["config"]["Entrypoint"] == ["/usr/bin/tool"]
    assert configuration["config"]["User"] == "65532"
    assert "HOME=/tmp" in configuration["config"]["Env"]
    assert any(entry.startswith("PATH=") for entry in configuration["config"]["Env"])


def test_a_layer_holds_files_with_their_modes_and_every_directory_above_them(
    tmp_path: Path,
) -> None:
    write_archive(IMAGE, tmp_path / "image.tar")
    members = {member.name: member for member in read(tmp_path / "image.tar")[2]}
    assert list(members) == ["etc", "tmp", "usr", "usr/bin", "etc/tool.conf", "usr/bin/tool"]
    assert members["tmp"].mode == 0o1777
    assert members["usr/bin/tool"].mode == 0o755
    assert members["etc/tool.conf"].mode == 0o644


def test_a_base_layer_lies_below_the_image_s_own(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "base.tar", "w"):
        pass
    write_archive(IMAGE, tmp_path / "image.tar", [tmp_path / "base.tar"])
    manifest, configuration, members = read(tmp_path / "image.tar")
    assert len(manifest["Layers"]) == len(configuration["rootfs"]["diff_ids"]) == 2
    assert "usr/bin/tool" in [member.name for member in members]


def test_the_charts_images_are_named_with_the_versions_of_the_programs() -> None:
    assert cilium_images()["cilium"] == f"quay.io/cilium/cilium:{CILIUM}"
    assert cilium_images()["operator"] == f"quay.io/cilium/operator-generic:{CILIUM}"
    assert metallb_images() == {
        "controller": f"quay.io/metallb/controller:{METALLB}",
        "speaker": f"quay.io/metallb/speaker:{METALLB}",
    }


def test_a_galera_finds_its_image_under_the_name_it_asks_for() -> None:
    asking = workload(spread({"kind": "galera"}, east=2, west=1))
    assert software_of(asking, asking.sites[0]).image == GALERA


@pytest.mark.lab
def test_every_image_s_tag_is_the_version_of_what_lies_in_it() -> None:
    versions = {str(entry.path): entry.version for entry in map(program, _packed_programs())}
    for image in images():
        tag = image.reference.rpartition(":")[2].partition("-")[0]
        first = next((file for file in image.files if str(file.content) in versions), None)
        if first and versions[str(first.content)]:
            assert versions[str(first.content)].removeprefix("v") == tag.removeprefix("v")


@pytest.mark.lab
def test_every_image_kubeadm_asks_for_is_packed_but_kube_proxy() -> None:
    command = [str(program("kubeadm").path), "config", "images", "list"]
    wanted = subprocess.run(
        [*command, "--kubernetes-version", program("kubeadm").version],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    packed = {image.reference for image in images()}
    assert {name for name in wanted if "/kube-proxy:" not in name} <= packed


@pytest.mark.lab
def test_packing_twice_gives_the_same_archives() -> None:
    assert build_images(lambda *_: None) == build_images(lambda *_: None)


def _packed_programs() -> list[str]:
    cilium = ["cilium-agent", "cilium-operator-generic", "clustermesh-apiserver"]
    metallb = ["metallb-controller", "metallb-speaker"]
    return [*cilium, *metallb, "kube-control-plane", "etcd", "coredns"]
