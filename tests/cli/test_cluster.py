import tempfile
from pathlib import Path

import pytest

from cli.cluster import Cluster
from cli.failure import Failure
from mesh.pki import admin_certificate, certificate_authority
from mesh.render.kubeconfig import kubeconfig


def test_no_file_is_left_with_the_admins_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ca = certificate_authority("east", 1)
    admin = admin_certificate(ca, 1)
    nobody = "https://127.0.0.1:1"
    with pytest.raises(Failure, match="no answer from"):
        Cluster(kubeconfig("east", nobody, ca.certificate, admin.certificate, admin.key))
    assert list(tmp_path.iterdir()) == []
