import base64
import gzip
import shlex
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from mesh.nodes import node_generation
from mesh.pki import admin_certificate
from mesh.render import bootstrap
from mesh.render.cloud_init import (
    GUESTINFO_LIMIT,
    GuestinfoTooLargeError,
    guestinfo,
    metadata,
    user_data,
    worker_user_data,
)
from tests.mesh.render.clusters import settings
from tests.mesh.render.first_boot import (
    CA_HASH,
    PLACEHOLDERS,
    TOKEN,
    control_plane,
    real_secrets,
    real_user_data,
    worker,
    written_files,
)
from tests.mesh.render.programs import program, run

NTP = {"ntpServers": ["10.11.84.3", "time.example.com"]}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPLACEHOLDER someone@example.com"


@pytest.fixture
def without_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts are files one reads where they lie."""
    monkeypatch.setattr(bootstrap, "packaged", lambda name: f"(the text of {name})\n")


@pytest.mark.usefixtures("without_scripts")
def test_the_user_data_of_a_control_plane(snapshot: Any) -> None:
    of = settings(network=NTP, nodes={"sshAuthorizedKeys": [KEY]})
    assert user_data(of, control_plane(of), PLACEHOLDERS) == snapshot


@pytest.mark.usefixtures("without_scripts")
def test_the_user_data_of_a_worker(snapshot: Any) -> None:
    assert worker_user_data(settings(), worker(), TOKEN, CA_HASH) == snapshot


def test_the_metadata_of_a_node(snapshot: Any) -> None:
    of = settings(network={"searchDomains": ["example.com"]})
    text = metadata(of, control_plane(of))
    assert text.replace(node_generation(of, control_plane(of)), "GENERATION") == snapshot


def test_a_worker_never_sees_a_ca_key() -> None:
    text = real_user_data(worker())
    secrets = real_secrets()
    admin = admin_certificate(secrets.cluster_ca, days=1)
    pairs = (secrets.cluster_ca, secrets.front_proxy_ca, secrets.etcd_ca, admin)
    kept_away = [secrets.service_account.private, *(pair.key for pair in pairs)]
    assert "PRIVATE KEY" not in text
    assert "-----BEGIN" not in text
    assert "/etc/mesh/pki/" not in [*written_files(text)]
    assert not any(line in text for key in kept_away for line in key.splitlines())
    assert secrets.bootstrap_token in text


def test_no_node_gets_an_admin_certificate() -> None:
    for node in (control_plane(), worker()):
        assert "system:masters" not in real_user_data(node)


def test_only_root_reads_what_is_secret() -> None:
    for node in (control_plane(), worker()):
        for path, file in written_files(real_user_data(node)).items():
            if path.startswith("/etc/mesh/pki/") or path == "/etc/mesh/kubeadm.yaml":
                assert (file["permissions"], file["owner"]) == ("0600", "root:root")


def test_a_worker_renews_no_control_plane_certificates() -> None:
    assert "mesh-certificate-renewal" not in real_user_data(worker())


def test_cloud_init_installs_nothing() -> None:
    config = yaml.safe_load(real_user_data(control_plane()))
    assert config["package_update"] is config["package_upgrade"] is False
    assert not {"packages", "apt", "ntp", "snap"} & config.keys()


def test_the_hosts_file_names_no_other_node() -> None:
    hosts = written_files(real_user_data(worker()))["/etc/hosts"]["content"]
    names = [line.split()[1] for line in hosts.splitlines()]
    assert names == ["localhost", "localhost", worker().name, "east-api"]


def test_a_template_with_a_blank_in_its_name_stays_one_word() -> None:
    of = settings(vsphere={"template": "kubernetes 1.36 $(reboot)"})
    text = worker_user_data(of, worker(of), TOKEN, CA_HASH)
    environment = written_files(text)["/etc/mesh/bootstrap.env"]["content"]
    assert "MESH_TEMPLATE=kubernetes 1.36 $(reboot)" in shlex.split(environment)


def test_guestinfo_gives_both_texts_back() -> None:
    texts = {"userdata": real_user_data(worker()), "metadata": metadata(settings(), worker())}
    extra = guestinfo(texts["userdata"], texts["metadata"])
    for name, text in texts.items():
        assert extra[f"guestinfo.{name}.encoding"] == "gzip+base64"
        packed = base64.b64decode(extra[f"guestinfo.{name}"])
        assert gzip.decompress(packed).decode() == text


def test_the_same_texts_give_the_same_guestinfo() -> None:
    text = metadata(settings(), worker())
    assert guestinfo("text", text) == guestinfo("text", text)
    assert base64.b64decode(guestinfo("text", text)["guestinfo.userdata"])[4:8] == bytes(4)


def test_a_control_plane_stays_far_below_the_limit() -> None:
    text = real_user_data(control_plane())
    extra = guestinfo(text, metadata(settings(), control_plane()))
    assert len(extra["guestinfo.userdata"]) < GUESTINFO_LIMIT / 3


def test_user_data_that_would_be_cut_is_refused_by_name_and_size() -> None:
    noise = Random(1).randbytes(60_000).hex()
    with pytest.raises(GuestinfoTooLargeError, match=r"east-worker-1 is \d+ bytes.*61440.*ssh"):
        guestinfo(noise, metadata(settings(), worker()))


def test_cloud_init_itself_knows_every_key(tmp_path: Path) -> None:
    cloud_init = program("cloud-init", "CLOUD_INIT")
    of = settings(network=NTP, nodes={"sshAuthorizedKeys": [KEY]})
    for node in (control_plane(of), worker(of)):
        file = tmp_path / node.name
        file.write_text(user_data(of, node, real_secrets()))
        result = run(cloud_init, "schema", "--config-file", file)
        said = result.stdout + result.stderr
        assert result.returncode == 0, said
        assert "Valid" in said
        assert "deprecat" not in said.lower()
