"""What `mesh doctor` prints: a table for people, a document that programs can rely on."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from cli.app import app
from cli.commands import doctor
from cli.doctor.finding import Finding
from cli.doctor.report import document, fixes, is_sound, summary, table
from mesh.pki import admin_certificate, certificate_authority
from mesh.render.kubeconfig import kubeconfig

FOUND = (
    Finding("east", "API server", "ok", "answers, Kubernetes 1.36.3"),
    Finding("east", "nodes", "not checked", "it refused: 403 Forbidden"),
    Finding("west", "certificate API server", "warning", "29 days left", "renew [it]"),
    Finding("west", "CoreDNS", "error", "a roll-out is stalled: [ERROR] no", "pulumi up -s west"),
)


def test_the_document_is_what_it_was() -> None:
    """A change of this document breaks programs of other people: only ever add to it."""
    assert json.loads(json.dumps(document(FOUND))) == {
        "ok": False,
        "findings": [
            {
                "cluster": "east",
                "subject": "API server",
                "severity": "ok",
                "seen": "answers, Kubernetes 1.36.3",
                "fix": "",
            },
            {
                "cluster": "east",
                "subject": "nodes",
                "severity": "not checked",
                "seen": "it refused: 403 Forbidden",
                "fix": "",
            },
            {
                "cluster": "west",
                "subject": "certificate API server",
                "severity": "warning",
                "seen": "29 days left",
                "fix": "renew [it]",
            },
            {
                "cluster": "west",
                "subject": "CoreDNS",
                "severity": "error",
                "seen": "a roll-out is stalled: [ERROR] no",
                "fix": "pulumi up -s west",
            },
        ],
    }


def test_the_table_has_every_word_also_those_in_brackets() -> None:
    file = io.StringIO()
    Console(file=file, width=100).print(table(FOUND))
    printed = file.getvalue()
    for word in ("[ERROR] no", "29 days left", "not checked", "Kubernetes 1.36.3"):
        assert word in printed


def test_a_fix_is_a_line_of_its_own_that_can_be_copied() -> None:
    assert fixes(FOUND) == (
        "west: certificate API server → renew [it]",
        "west: CoreDNS → pulumi up -s west",
    )


def test_the_summary_counts_each_kind() -> None:
    assert summary(FOUND) == "1 ok, 1 warning, 1 error, 1 not checked"


def test_only_an_error_makes_it_unsound() -> None:
    assert is_sound(FOUND[:3])
    assert not is_sound(FOUND)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ca = certificate_authority("east", 1)
    admin = admin_certificate(ca, 1)
    file = tmp_path / "mesh.kubeconfig"
    server = "https://127.0.0.1:1"
    file.write_text(kubeconfig("east", server, ca.certificate, admin.certificate, admin.key))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return file


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, ["doctor", *map(str, arguments)])


@pytest.mark.parametrize(("found", "code"), [(FOUND[:3], 0), (FOUND, 1)])
def test_the_exit_status_is_one_when_something_is_an_error(
    config: Path, monkeypatch: pytest.MonkeyPatch, found: tuple[Finding, ...], code: int
) -> None:
    monkeypatch.setattr(doctor, "examine", lambda *_: found)
    for option in ((), ("--json",)):
        assert run("--kubeconfig", config, *option).exit_code == code


def test_a_mesh_that_is_away_is_told_in_json_by_the_kubeconfig_of_the_environment(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(config))
    result = run("--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["ok"] is False
    assert told["findings"][0]["seen"] == "https://127.0.0.1:1: the connection was refused"
    assert told["findings"][1]["subject"] == "certificate admin kubeconfig"


def test_people_get_the_table_the_fixes_and_the_count(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "examine", lambda *_: FOUND)
    lines = run("--kubeconfig", config).stdout.splitlines()
    assert lines[-3:] == [*fixes(FOUND), summary(FOUND)]


def test_without_a_kubeconfig_it_ends_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    result = run()
    assert result.exit_code == 1
    assert "no kubeconfig: write one by" in str(result.exception)
