"""The kubeconfig is read as `mesh kubeconfig` writes it, and never shown."""

import os
import tempfile
from pathlib import Path

import pytest
import yaml

from cli.doctor.asking.access import accesses, kubeconfig_files
from cli.doctor.asking.api import Api, NoAnswerError
from cli.failure import Failure
from mesh.pki import KeyPair, admin_certificate, certificate_authority
from mesh.render.kubeconfig import kubeconfig, merged_kubeconfig

CA = certificate_authority("east", 1)
ADMIN = admin_certificate(CA, 1)


def one(name: str, server: str = "https://127.0.0.1:1", key: str = ADMIN.key) -> str:
    return kubeconfig(name, server, CA.certificate, ADMIN.certificate, key)


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    file = tmp_path / "mesh.kubeconfig"
    file.write_text(merged_kubeconfig([one("east"), one("west", "https://127.0.0.1:2")]))
    return file


def test_the_contexts_of_the_merged_file_are_the_clusters(merged: Path) -> None:
    found = accesses([merged])
    assert [(way.cluster, way.server) for way in found] == [
        ("east", "https://127.0.0.1:1"),
        ("west", "https://127.0.0.1:2"),
    ]
    assert found[0].client == ADMIN
    assert ADMIN.key not in repr(found)


def test_files_beside_the_kubeconfig_and_a_token_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text(CA.certificate)
    document = {
        "clusters": [
            {"name": "c", "cluster": {"server": "https://x", "certificate-authority": "ca.crt"}}
        ],
        "users": [{"name": "u", "user": {"token": "of-nobody"}}],
        "contexts": [{"name": "east", "context": {"cluster": "c", "user": "u"}}],
    }
    (tmp_path / "config").write_text(yaml.safe_dump(document))
    [way] = accesses([tmp_path / "config"])
    assert (way.authority, way.client, way.token) == (CA.certificate, None, "of-nobody")
    assert "of-nobody" not in repr(way)


def test_the_named_file_comes_before_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(["a", "", "b"]))
    assert kubeconfig_files(None) == [Path("a"), Path("b")]
    assert kubeconfig_files(tmp_path) == [tmp_path]


def test_without_any_it_is_said_how_to_write_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    with pytest.raises(Failure, match="no kubeconfig: write one by `mesh kubeconfig -o"):
        kubeconfig_files(None)


KEY = "PRIVATE" + "c2VjcmV0"
BROKEN = [
    ("", "is no kubeconfig"),
    (f"users: {{{KEY}", "is no kubeconfig"),
    ("clusters: []\ncontexts: []\nusers: []\n", "has no context"),
    (one("east").replace("client-key-data", "key"), "context east lacks something"),
    (one("east").replace("client-key-data: ", f"client-key-data: '{KEY}€"), "no kubeconfig"),
    (
        one("east").replace("client-certificate-data: ", "client-certificate-data: /"),
        "context east lacks something",
    ),
]


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_a_broken_one_is_refused_without_a_piece_of_it(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "broken").write_text(text)
    with pytest.raises(Failure, match=words) as refused:
        accesses([tmp_path / "broken"])
    assert KEY not in str(refused.value)


def test_one_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="nowhere: no such file or directory: write one"):
        accesses([tmp_path / "nowhere"])


def test_no_file_is_left_with_the_admins_key(
    merged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    api = Api(accesses([merged])[0])
    with pytest.raises(NoAnswerError, match="the connection was refused"):
        api.get("/version")
    api.close()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_key_that_is_none_is_a_failure_in_words(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(one("east", key="nothing of the kind"))
    [way] = accesses([tmp_path / "config"])
    assert isinstance(way.client, KeyPair)
    with pytest.raises(NoAnswerError, match="the kubeconfig's certificate and key"):
        Api(way)
