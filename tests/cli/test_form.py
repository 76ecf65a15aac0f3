import ast

from tests.test_form import OURS, imports, sources, within


def test_the_command_knows_the_program_and_nobody_knows_the_command() -> None:
    for path in sources("cli"):
        for name in imports(path):
            assert not within(name, OURS) or within(name, {"cli", "mesh"}), f"{path}: {name}"
    for room in ("mesh", "components", "lab", "__main__.py"):
        for path in sources(room):
            assert not any(within(name, {"cli"}) for name in imports(path)), path


def test_the_commands_files_and_functions_stay_small() -> None:
    for path in sources("cli"):
        text = path.read_text()
        assert len(text.splitlines()) <= 250, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= 40, f"{path}: {node.name} has {length} lines"
