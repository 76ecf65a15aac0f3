"""The schema that editors check the files by: fresh, and of one mind with the program."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from typer.testing import CliRunner

from cli.app import app
from cli.schema import DIRECTORY, schemas
from tests.mesh.settings.test_wrong_types import WRONG, put, refusals, whole
from tests.mesh.settings.written import NAME, ROOT

STACKS = sorted(path.name for path in ROOT.glob("Pulumi.*.yaml"))
SCHEMAS = schemas(NAME)
STACK, PROJECT = (json.loads(SCHEMAS[f"{kind}.schema.json"]) for kind in ("stack", "project"))
PASSWORD = f"{NAME}:vcenterPassword"


def written(file: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    return document


def faults(schema: Any, document: object) -> list[str]:
    return [error.message for error in Draft7Validator(schema).iter_errors(document)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_kept_schema_is_what_the_settings_say(name: str) -> None:
    kept = (ROOT / DIRECTORY / name).read_text(encoding="utf-8")
    assert kept == SCHEMAS[name], "run `mesh schema --write`"


@pytest.mark.parametrize("schema", [STACK, PROJECT], ids=["stack", "project"])
def test_the_schema_is_a_schema(schema: Any) -> None:
    Draft7Validator.check_schema(schema)


@pytest.mark.parametrize("file", [*STACKS, "Pulumi.yaml"])
def test_a_shipped_file_names_its_schema_and_has_no_fault_by_it(file: str) -> None:
    schema, name = (PROJECT, "project") if file == "Pulumi.yaml" else (STACK, "stack")
    first = (ROOT / file).read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={DIRECTORY}/{name}.schema.json"
    assert faults(schema, written(file)) == []


def validated(kind: str, file: Path) -> subprocess.CompletedProcess[str]:
    """What the validator says whose patterns are JavaScript's, as an editor's are."""
    schema = ROOT / DIRECTORY / f"{kind}.schema.json"
    program = Path(sys.executable).with_name("check-jsonschema")
    command = [str(program), "--schemafile", str(schema), str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("file", [*STACKS, "Pulumi.yaml"])
def test_a_validator_that_reads_patterns_as_javascript_takes_a_shipped_file(file: str) -> None:
    done = validated("project" if file == "Pulumi.yaml" else "stack", ROOT / file)
    assert done.returncode == 0, done.stdout


def test_a_validator_that_reads_patterns_as_javascript_finds_a_wrong_value(tmp_path: Path) -> None:
    text = (ROOT / "Pulumi.east.yaml").read_text(encoding="utf-8")
    wrong = tmp_path / "Pulumi.east.yaml"
    wrong.write_text(text.replace("zone: east.mesh.example", "zone: East"), encoding="utf-8")
    done = validated("stack", wrong)
    assert done.returncode == 1
    assert "'East' does not match" in done.stdout


def test_keys_have_no_fault_with_the_namespace_or_without() -> None:
    document = written("Pulumi.east.yaml")
    bare = {key.removeprefix(f"{NAME}:"): value for key, value in document["config"].items()}
    assert faults(STACK, document | {"config": bare}) == []


def test_what_the_engine_writes_is_no_fault() -> None:
    document = written("Pulumi.east.yaml") | {"encryptionsalt": "v1:abc"}
    document["config"] |= {PASSWORD: {"secure": "v1:abc"}, "aws:region": "eu-west-1"}
    assert faults(STACK, document) == []


@pytest.mark.parametrize(
    "key", ["cluster", "network", "nodes", "vsphere", "loadBalancer", "mesh", "bogus", "netwrok"]
)
def test_a_group_that_is_missing_or_unknown_or_elsewhere_is_a_fault(key: str) -> None:
    document = written("Pulumi.east.yaml")
    if document["config"].pop(f"{NAME}:{key}", None) is None:
        document["config"][f"{NAME}:{key}"] = {}
    assert len(faults(STACK, document)) == 1


@pytest.mark.parametrize("password", ["hush", {"value": "hush"}, None])
def test_a_password_in_plain_text_is_a_fault(password: object) -> None:
    document = written("Pulumi.east.yaml")
    document["config"][PASSWORD] = password
    assert faults(STACK, document)


def test_a_password_or_a_group_without_value_in_the_project_file_is_a_fault() -> None:
    for key, value in {"vcenterPassword": {"value": "hush"}, "dns": {"forwarding": True}}.items():
        document = written("Pulumi.yaml")
        document["config"][key] = value
        assert faults(PROJECT, document)


def test_a_list_may_stand_in_the_project_file_without_value() -> None:
    document = written("Pulumi.yaml")
    for value in (["west"], {"value": ["west"]}):
        document["config"]["peers"] = value
        assert faults(PROJECT, document) == []


SPELT_WRONG: dict[str, list[Any]] = {
    "cluster.name": ["default", "East", "a-", "", "a" * 33],
    "cluster.zone": ["mesh", "east.local", "East.mesh", "a..b", f"{'a' * 64}.b"],
    "network.gateway": ["10.11.84.256", "10.11.84", "fd00::1", "010.11.84.1"],
    "network.podCidr": ["10.101.0.0", "10.101.0.0/33", "fd00::/64", "10.0.0.0/8,fd00::/64"],
    "loadBalancer.addresses": [["10.11.84.22"], ["10.11.84.22-"], ["a-b"]],
    "loadBalancer.etcdAddress": ["automatic", "10.11.84.20/32"],
    "mesh.maxConnectedClusters": [256],
    "mesh.tunnelProtocol": ["Geneve"],
    "network.podCidrMaskSize": [15, 31],
    "nodes.controlPlane.addresses": [[], ["10.11.85.11", "10.11.85.15"]],
    "nodes.worker.cpus": [0, 1000],
    "versions.cilium": ["v1.20.2", "1.20", 1.2],
    "vsphere.server": ["https://vcenter.example.com", " vcenter", "", "vc enter", "vcenter:https"],
    "vsphere.folder": ["/mesh/east", "mesh/east/", "mesh//east", "/", " mesh", ""],
    "nodes.sshAuthorizedKeys": [["foo"], ["ssh-rsa"], ["ssh-dss AAAAB3NzaC1kc3M="]],
}


@pytest.mark.parametrize("key", SPELT_WRONG)
def test_a_value_spelt_wrong_is_a_fault(key: str) -> None:
    for value in SPELT_WRONG[key]:
        assert faults_of(key, value), value


def test_whatever_is_a_fault_of_the_schema_is_refused_by_the_program() -> None:
    for key in ("cluster.id", "dns.forwarding", "vsphere.user", "network.nameServers", "peers"):
        for wrong in [*WRONG.values(), *SPELT_WRONG.get(key, [])]:
            config = whole(key)
            put(config, key, wrong)
            if faults_of(key, wrong):
                assert refusals(config), (key, wrong)


def faults_of(key: str, value: object) -> list[str]:
    """The faults of one value, in the file it stands in."""
    config = whole(key)
    put(config, key, copy.deepcopy(value))
    if key.startswith("mesh."):
        return faults(PROJECT, {"config": {"mesh": {"value": config["mesh"]}}})
    own = {name: group for name, group in config.items() if name != "mesh"}
    return faults(STACK, {"config": own})


def test_the_command_prints_what_is_kept_and_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(f"name: {NAME}\n")
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    assert run.invoke(app, ["schema"]).stdout == SCHEMAS["stack.schema.json"]
    assert run.invoke(app, ["schema", "project"]).stdout == SCHEMAS["project.schema.json"]
    assert run.invoke(app, ["schema", "--write"]).stdout.splitlines() == [
        "wrote schema/stack.schema.json",
        "wrote schema/project.schema.json",
    ]
    assert (tmp_path / "schema/stack.schema.json").read_text() == SCHEMAS["stack.schema.json"]
    assert run.invoke(app, ["schema", "--write"]).stdout == ""
