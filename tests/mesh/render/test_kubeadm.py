import re
from pathlib import Path
from typing import Any

import yaml

from mesh.render.kubeadm import init_configuration, join_configuration
from mesh.settings import Settings
from tests.mesh.render.clusters import settings
from tests.mesh.render.first_boot import (
    CA_HASH,
    TOKEN,
    control_plane,
    real_secrets,
    real_user_data,
    worker,
    written_files,
)
from tests.mesh.render.programs import program, run


def init(of: Settings) -> str:
    return init_configuration(of, control_plane(of), TOKEN)


def cluster(of: Settings) -> dict[str, Any]:
    documents = yaml.safe_load_all(init(of))
    return next(each for each in documents if each["kind"] == "ClusterConfiguration")


def test_a_name_that_go_takes_for_a_number_stays_a_name(tmp_path: Path) -> None:
    of = settings(cluster={"name": "1e3"})
    config = tmp_path / "kubeadm.yaml"
    config.write_text(init_configuration(of, control_plane(of), "123456.12e4567890123456"))
    result = run(kubeadm(), "config", "validate", "--config", config)
    assert result.returncode == 0, result.stderr


def changed() -> Settings:
    """Everything that shows in kubeadm's documents set to something else than its default."""
    return settings(
        nodes={"ignorePreflightErrors": ["NumCPU", "Mem"]},
        lifetimes={"bootstrapTokenHours": 12, "controlPlaneCertificateDays": 30},
        images={"registry": "registry.example.com/mirror"},
        network={"podCidr": "101.96.0.0/20", "podCidrMaskSize": 26},
    )


def kubeadm() -> str:
    return program("kubeadm", "KUBEADM")


def test_what_the_first_control_plane_is_told(snapshot: Any) -> None:
    assert init(settings()) == snapshot


def test_what_a_worker_is_told(snapshot: Any) -> None:
    assert join_configuration(settings(), worker(), TOKEN, CA_HASH) == snapshot


def test_a_control_plane_without_workers_takes_every_pod() -> None:
    alone = settings(nodes={"worker": {"addresses": []}})
    for of, taints in ((alone, []), (settings(), None)):
        init = init_configuration(of, control_plane(of), "abcdef.0123456789abcdef")
        registration = next(iter(yaml.safe_load_all(init)))["nodeRegistration"]
        assert registration.get("taints") == taints


def test_every_setting_reaches_kubeadm(snapshot: Any) -> None:
    assert init(changed()) == snapshot


def test_kubeadm_itself_accepts_the_documents(tmp_path: Path) -> None:
    for of in (settings(), changed(), settings(dns={"mode": "domain"})):
        for text in (init(of), join_configuration(of, worker(of), TOKEN, CA_HASH)):
            file = tmp_path / "kubeadm.yaml"
            file.write_text(text)
            result = run(kubeadm(), "config", "validate", "--config", file)
            assert result.returncode == 0, result.stderr
            assert "warning" not in (result.stdout + result.stderr).lower()


def test_kubeadm_itself_uses_the_authorities_that_cloud_init_writes(tmp_path: Path) -> None:
    pki = tmp_path / "pki"
    for path, file in written_files(real_user_data(control_plane())).items():
        if path.startswith("/etc/mesh/pki/"):
            target = pki / path.removeprefix("/etc/mesh/pki/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file["content"])
    config = tmp_path / "kubeadm.yaml"
    config.write_text(_with_certificates_in(pki, init(settings())))
    result = run(kubeadm(), "init", "phase", "certs", "all", "--config", config)
    assert result.returncode == 0, result.stderr
    for name in ("ca", "front-proxy-ca", "etcd/ca"):
        assert f"Using existing {name} certificate authority" in result.stdout
    assert 'Using the existing "sa" key' in result.stdout
    assert (pki / "ca.key").read_text() == real_secrets().cluster_ca.key
    leaf = pki / "apiserver.crt"
    verified = run(program("openssl", "OPENSSL"), "verify", "-CAfile", pki / "ca.crt", leaf)
    assert verified.returncode == 0, verified.stderr


def test_kubeadm_itself_names_the_api_server_in_a_domain_of_its_own(tmp_path: Path) -> None:
    assert "dnsDomain" not in cluster(settings())["networking"]
    config, pki = tmp_path / "kubeadm.yaml", tmp_path / "pki"
    config.write_text(_with_certificates_in(pki, init(settings(dns={"mode": "domain"}))))
    for phase in ("ca", "apiserver"):
        result = run(kubeadm(), "init", "phase", "certs", phase, "--config", config)
        assert result.returncode == 0, result.stderr
    assert "kubernetes.default.svc.east.mesh.example" in result.stdout
    assert "cluster.local" not in result.stdout


def test_a_mirror_keeps_the_folder_of_every_image(tmp_path: Path) -> None:
    config = tmp_path / "kubeadm.yaml"
    config.write_text(init(changed()))
    listed = run(kubeadm(), "config", "images", "list", "--config", config).stdout.split()
    assert all(image.startswith("registry.example.com/mirror/") for image in listed)
    assert any(re.fullmatch("registry.example.com/mirror/coredns/coredns:.*", i) for i in listed)


def test_the_images_are_kubeadms_own_without_a_mirror() -> None:
    assert not {"imageRepository", "dns"} & cluster(settings()).keys()


def _with_certificates_in(folder: Path, text: str) -> str:
    documents = list(yaml.safe_load_all(text))
    for document in documents:
        if document["kind"] == "ClusterConfiguration":
            document["certificatesDir"] = str(folder)
    return yaml.safe_dump_all(documents)
