"""Modules come from a proxy in a directory: what is there, and when, is the test's own matter."""

import os
import shutil
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.building import BuildError, build
from lab.downloads import downloads_of
from lab.programs import Program

MODULE = "lab.example/answer"
FETCHED = Path("cache/download") / MODULE / "@v/v1.0.0.zip"
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Modules:
    """A program that needs nothing, one that needs the proxy's module, one that needs nobody's."""

    proxy: Path
    cache: Path

    @property
    def fetched(self) -> bool:
        return (self.cache / FETCHED).is_file()

    def wait(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.fetched:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    made = Modules(tmp_path / "proxy", tmp_path / "modules")
    publish(made.proxy)
    programs = tmp_path / "programs"
    write_program(programs / "plain", "", "println()")
    write_program(programs / "asking", MODULE, "answer.Say()")
    write_program(programs / "lost", "lab.example/nowhere", "nowhere.Say()")
    monkeypatch.setattr("lab.programs.MODULES", programs)
    for name, value in {
        "GOPROXY": f"file://{made.proxy}",
        "GOMODCACHE": str(made.cache),
        "GOCACHE": os.environ.get("GOCACHE") or str(Path.home() / ".cache/go-build"),
        "GOFLAGS": "-mod=mod -modcacherw",
        "GONOSUMDB": "lab.example",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    return made


def publish(proxy: Path) -> None:
    directory = proxy / MODULE / "@v"
    directory.mkdir(parents=True)
    go_mod = f"module {MODULE}\n\ngo 1.26\n"
    (directory / "v1.0.0.mod").write_text(go_mod)
    (directory / "v1.0.0.info").write_text('{"Version": "v1.0.0"}')
    with zipfile.ZipFile(directory / "v1.0.0.zip", "w") as archive:
        archive.writestr(f"{MODULE}@v1.0.0/go.mod", go_mod)
        archive.writestr(f"{MODULE}@v1.0.0/answer.go", "package answer\n\nfunc Say() {}\n")


def write_program(directory: Path, needed: str, body: str) -> None:
    directory.mkdir(parents=True)
    required = f"\nrequire {needed} v1.0.0\n" if needed else ""
    imported = f'import "{needed}"\n\n' if needed else ""
    (directory / "go.mod").write_text(f"module lab/{directory.name}\n\ngo 1.26\n{required}")
    (directory / "main.go").write_text(f"package main\n\n{imported}func main() {{ {body} }}\n")


def named(name: str) -> Program:
    return Program(name=name, module=name)


def test_what_a_later_program_needs_is_fetched_while_an_earlier_one_is_built(
    modules: Modules,
) -> None:
    seen: list[str] = []

    def built(name: str, *_: object) -> None:
        seen.append(name)
        modules.wait()
        shutil.rmtree(modules.proxy, ignore_errors=True)

    build(built, [named("plain"), named("asking")])
    assert seen == ["plain", "asking"]
    assert named("asking").path.is_file()


def test_what_is_built_already_fetches_nothing(modules: Modules) -> None:
    build(lambda *_: None, [named("plain"), named("asking")])
    shutil.rmtree(modules.cache)
    build(lambda *_: None, [named("plain"), named("asking")])
    assert not modules.fetched


def test_a_module_nobody_has_keeps_no_other_from_being_fetched(modules: Modules) -> None:
    with downloads_of([named("lost"), named("asking")]):
        modules.wait()


def test_a_program_whose_modules_can_not_be_fetched_fails_in_its_own_turn(modules: Modules) -> None:
    seen: list[str] = []
    with pytest.raises(BuildError, match="building lost failed") as failed:
        build(lambda name, *_: seen.append(name), [named("plain"), named("lost")])
    assert "lab.example/nowhere" in str(failed.value)
    assert seen == ["plain"]
