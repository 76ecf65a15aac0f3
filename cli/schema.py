"""`mesh schema`: what an editor needs to know of the stack files and of Pulumi.yaml."""

import json
from collections.abc import Iterator
from pathlib import Path

from mesh.settings.schema import project_schema, stack_schema

DIRECTORY = "schema"
"""Where the shipped files look for their schemas."""


def schemas(project_name: str) -> dict[str, str]:
    """The text of each schema file, by its name."""
    built = {
        "stack.schema.json": stack_schema(project_name),
        "project.schema.json": project_schema(project_name),
    }
    return {
        name: f"{json.dumps(one, indent=2, ensure_ascii=False)}\n" for name, one in built.items()
    }


def write(project_directory: Path, project_name: str) -> Iterator[Path]:
    """Write the schemas below the project's directory; yield each file that changed."""
    directory = project_directory / DIRECTORY
    directory.mkdir(exist_ok=True)
    for name, text in schemas(project_name).items():
        path = directory / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield path
