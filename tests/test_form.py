"""The form of the code: which room may know which, and that every component is built alike."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
COMPONENT_FILES = sorted((PROJECT / "components").glob("*.py"))
PROGRAM_PACKAGES = {"pulumi", "pulumi_kubernetes", "pulumi_vsphere", "pydantic", "pydantic_core"}
PROGRAM_PACKAGES |= {"cryptography", "yaml"}
ROOMS = {
    "mesh/settings": {"mesh.settings"},
    "mesh": {"mesh"},
    "components": {"mesh", "components"},
    "__main__.py": {"components"},
}
"""What each room of the program may import of this project, from the innermost outwards."""


def sources(room: str) -> list[Path]:
    path = PROJECT / room
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


OURS = {"mesh", "components", "cli", "lab", "tests"}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    for path in sources(room):
        for name in imports(path):
            assert not within(name, OURS) or within(name, ROOMS[room]), f"{path} imports {name}"


def test_mesh_knows_no_pulumi() -> None:
    for path in sources("mesh"):
        assert not any(name.startswith("pulumi") for name in imports(path)), path


def test_only_one_file_reads_other_stacks() -> None:
    users = [path.name for path in COMPONENT_FILES if "StackReference" in path.read_text()]
    assert users == ["peers.py"]


def test_the_program_needs_six_packages_only() -> None:
    import sys

    for room in ("mesh", "components", "__main__.py"):
        for path in sources(room):
            for name in imports(path):
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names | PROGRAM_PACKAGES | OURS, f"{path}: {top}"


def components() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in COMPONENT_FILES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(base).endswith("ComponentResource") for base in node.bases
            ):
                yield path, node


COMPONENTS = [pytest.param(path, node, id=node.name) for path, node in components()]


def test_there_are_components_and_one_at_most_per_file() -> None:
    files = [path for path, _ in components()]
    assert len(files) == len(set(files)) == 11


@pytest.mark.parametrize(("path", "component"), COMPONENTS)
def test_a_component_says_what_it_is(path: Path, component: ast.ClassDef) -> None:
    assert ast.get_docstring(component)


@pytest.mark.parametrize(("path", "component"), COMPONENTS)
def test_a_components_token_is_its_module_and_class(path: Path, component: ast.ClassDef) -> None:
    token = f'super().__init__("mesh:{path.stem}:{component.name}", name, {{}}, opts)'
    assert token in path.read_text()


@pytest.mark.parametrize(("path", "component"), COMPONENTS)
def test_a_component_registers_outputs_with_names_last(path: Path, component: ast.ClassDef) -> None:
    [constructor] = [f for f in component.body if getattr(f, "name", "") == "__init__"]
    assert isinstance(constructor, ast.FunctionDef)
    last = ast.unparse(constructor.body[-1])
    assert re.fullmatch(r"self\.register_outputs\(\{'.+\}\)", last, re.DOTALL)


@pytest.mark.parametrize(("path", "component"), COMPONENTS)
def test_a_component_takes_frozen_arguments_of_its_own(path: Path, component: ast.ClassDef) -> None:
    args = next(
        node
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == f"{component.name}Args"
    )
    assert ast.unparse(args.decorator_list[0]) == "dataclass(frozen=True, kw_only=True)"


@pytest.mark.parametrize("room", ["mesh", "components", "__main__.py"])
def test_files_and_functions_stay_small(room: str) -> None:
    for path in sources(room):
        text = path.read_text()
        assert len(text.splitlines()) <= 250, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= 40, f"{path}: {node.name} has {length} lines"
