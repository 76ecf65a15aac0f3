import ast
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mesh.acceptance.manifests import job, lasting
from mesh.acceptance.planning import named, plan
from mesh.acceptance.probe.checks import global_name
from mesh.acceptance.probe.traffic import Identity, who_answers
from mesh.acceptance.sources import MODULE, mounted, sources
from tests.mesh.render.clusters import peers, settings
from tests.ports import free_port

NAMED = named(plan(settings(), peers("west"), namespace="n", patience=1), "", {})
MADE = [*lasting("n", "east", "python:3"), job(NAMED, "python:3")]


def of(kind: str) -> list[dict[str, Any]]:
    return [one for one in MADE if one["kind"] == kind]


def pods() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in (*of("StatefulSet"), *of("Job"))]


def test_the_probe_is_the_standard_library_and_itself() -> None:
    for name, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                tops = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                tops = [node.module or ""]
            else:
                continue
            for top in tops:
                own = top.startswith(f"{MODULE}.") or top == MODULE
                assert own or top.partition(".")[0] in sys.stdlib_module_names, f"{name}: {top}"


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """The files as the ConfigMap mounts them, nothing else of the project beside them."""
    for name, text in sources().items():
        file = tmp_path / mounted(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_what_is_shipped_runs_without_the_rest_of_the_project(shipped: Path) -> None:
    # Without site-packages, where the project itself is installed.
    command = [sys.executable, "-S", "-m", MODULE, "target"]
    environment = {"PYTHONPATH": str(shipped), "CLUSTER": "east", "POD": "target-0"}
    port = free_port()
    plan_file = shipped / mounted("plan.py")
    plan_file.write_text(plan_file.read_text().replace("PORT = 8080", f"PORT = {port}"))
    with subprocess.Popen(command, cwd=shipped, env=environment) as process:
        end = time.monotonic() + 20
        while (found := who_answers("127.0.0.1", port)) != Identity("east", "target-0"):
            assert time.monotonic() < end, found
            time.sleep(0.05)
        process.terminate()
        assert process.wait(10) == 0


def test_a_pod_is_nobody_and_may_write_nowhere() -> None:
    for pod in pods():
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"] == "128Mi"
    [namespace] = of("Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_a_run_may_write_its_result_and_nothing_else() -> None:
    [role] = of("Role")
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": ["mesh-acceptance-result"],
            "verbs": ["patch"],
        }
    ]
    target, run = pods()
    assert target["automountServiceAccountToken"] is False
    assert run["serviceAccountName"] == of("ServiceAccount")[0]["metadata"]["name"]


def test_the_service_of_all_clusters_is_marked_and_the_targets_own_is_headless() -> None:
    headless, everywhere = of("Service")
    assert headless["spec"]["clusterIP"] == "None"
    assert everywhere["metadata"]["annotations"] == {"service.cilium.io/global": "true"}
    [target] = of("StatefulSet")
    assert target["spec"]["serviceName"] == headless["metadata"]["name"]
    labels = target["spec"]["template"]["metadata"]["labels"]
    assert all(one["spec"]["selector"] == labels for one in (headless, everywhere))


def test_targets_of_marked_runs_have_the_names_that_are_asked_for() -> None:
    marked = replace(NAMED, mark="a1b2c3")
    made = lasting("n", "east", "python:3", marked.mark)
    headless, everywhere = (one["metadata"]["name"] for one in made if one["kind"] == "Service")
    [target] = (one for one in made if one["kind"] == "StatefulSet")
    assert target["spec"]["serviceName"] == headless
    assert marked.own.pod_name(marked) == f"target-0.{headless}.n.east.mesh.example"
    assert global_name(marked) == f"{everywhere}.n.svc.cluster.local"
    assert {headless, everywhere} == {"target-a1b2c3", "everywhere-a1b2c3"}


def test_a_run_ends_by_itself_and_is_found_by_its_name() -> None:
    [run] = of("Job")
    assert run["metadata"]["name"] == f"run-{NAMED.run}"
    assert run["spec"]["activeDeadlineSeconds"] < 600
    assert run["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_every_file_of_the_probe_lies_where_python_looks_for_it() -> None:
    for pod in pods():
        [volume] = pod["volumes"]
        assert {item["key"] for item in volume["configMap"]["items"]} == set(sources())
        [container] = pod["containers"]
        environment = {one["name"]: one["value"] for one in container["env"]}
        assert environment["PYTHONPATH"] == container["volumeMounts"][0]["mountPath"]
    assert os.path.commonpath([*map(mounted, sources())]) == MODULE.replace(".", "/")
