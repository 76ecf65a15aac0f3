import os
import subprocess
from pathlib import Path

import pytest

from lab import building
from lab.building import BuildError, build, is_built, require_space, stamp
from lab.programs import MODULES, PROGRAMS, Program, program

CALLS = {
    "kubeadm": ("version", "-o", "short"),
    "kubectl": ("version", "--client"),
    "kubelet": ("--version",),
    "etcd": ("--version",),
    "etcdctl": ("version",),
    "coredns": ("-version",),
    "pulumi": ("version",),
    "cilium-agent": ("--version",),
    "cilium-operator-generic": ("--version",),
    "clustermesh-apiserver": ("version",),
    "cilium-dbg": ("version",),
    "local-path-provisioner": ("--version",),
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Go's own cache stays: the standard library needs no building for every test.
    monkeypatch.setenv("GOCACHE", _told("go", "env", "GOCACHE").strip())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_every_program_has_a_module_with_a_lock_and_names_are_unique() -> None:
    assert len({entry.name for entry in PROGRAMS}) == len(PROGRAMS)
    for entry in PROGRAMS:
        assert (entry.directory / "go.mod").is_file(), entry.name


def test_every_kept_version_is_the_one_its_go_mod_requires() -> None:
    for entry in PROGRAMS:
        if entry.source:
            required = (entry.directory / "go.mod").read_text()
            assert f"{entry.source} {entry.source_version}" in required, entry.name


def test_pulumi_lies_where_the_automation_api_looks(own_cache: Path) -> None:
    assert program("pulumi").path == own_cache / "vsphere-cluster-mesh/bin/pulumi"


def test_a_stamp_changes_with_the_flags_but_not_by_itself() -> None:
    pause = program("pause")
    flagged = Program(name="pause", module="pause", tags=("other",))
    assert stamp(pause) == stamp(pause) != stamp(flagged)


def test_a_second_build_does_nothing(own_cache: Path) -> None:
    pause = program("pause")
    seen: list[tuple[str, int, int, float]] = []
    build(lambda *news: seen.append(news), [pause])
    first = pause.path.stat().st_mtime_ns
    build(lambda *news: seen.append(news), [pause])
    assert is_built(pause)
    assert pause.path.stat().st_mtime_ns == first
    assert [news[:3] for news in seen] == [("pause", 1, 1)] * 2


def test_a_failed_build_names_the_program_the_reason_and_the_log(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "modules/broken"
    broken.mkdir(parents=True)
    (broken / "go.mod").write_text("module lab/broken\n\ngo 1.26\n")
    (broken / "main.go").write_text("package main\n\nfunc main() { missing() }\n")
    monkeypatch.setattr("lab.programs.MODULES", tmp_path / "modules")
    with pytest.raises(BuildError) as error:
        build(lambda *_: None, [Program(name="broken", module="broken")])
    assert "building broken failed" in str(error.value)
    assert "undefined: missing" in str(error.value)
    assert str(own_cache / "vsphere-cluster-mesh/logs/broken.log") in str(error.value)


@pytest.mark.parametrize(("own", "taken"), [({}, "off 2GiB"), ({"GOGC": "50"}, "50 2GiB")])
def test_compilers_collect_no_garbage_unless_the_environment_says_otherwise(
    own: dict[str, str], taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "bin/go"
    go.parent.mkdir()
    go.write_text('#!/bin/sh\necho "$GOGC $GOMEMLIMIT"\nexit 1\n')
    go.chmod(0o755)
    for name in ("GOGC", "GOMEMLIMIT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**own, "PATH": f"{go.parent}:{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(BuildError, match=f"building pause failed:\n  {taken}\n"):
        build(lambda *_: None, [program("pause")])


def test_too_little_space_is_said_before_anything_is_built(own_cache: Path) -> None:
    with pytest.raises(BuildError, match=r"has \d+ GiB free .* need 1000000 GiB: free \d+ GiB"):
        require_space(own_cache / "not" / "there", 1_000_000)


def test_the_certificate_stand_in_says_so_and_never_logs_a_key() -> None:
    source = (MODULES / "certgen/main.go").read_text()
    assert 'log.Print("this is the lab\'s stand-in for cilium-certgen")' in source
    assert subprocess.run(["gofmt", "-l", "."], cwd=MODULES, capture_output=True).stdout == b""


def test_the_certificate_stand_in_passes_its_own_tests() -> None:
    subprocess.run(["go", "test", "./..."], cwd=program("certgen").directory, check=True)


@pytest.mark.lab
@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda entry: entry.name)
def test_every_program_carries_the_version_of_the_table(entry: Program) -> None:
    building.build(lambda *_: None, [entry])
    if entry.source:
        # Modules written into the executable by Go itself.
        listed = _told("go", "version", "-m", str(entry.path))
        assert f"{entry.source}\t{entry.source_version}" in listed


@pytest.mark.lab
@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_program_tells_its_version(name: str) -> None:
    entry = program(name)
    assert entry.version.removeprefix("v") in _told(str(entry.path), *CALLS[name])


def _told(*command: str) -> str:
    finished = subprocess.run(command, capture_output=True, text=True)
    return finished.stdout + finished.stderr
