"""What may be a secret: the vCenter's password, and nothing else."""

from collections.abc import Iterator

from mesh.settings.problems import Problem

SECRET_KEYS = ("vcenterPassword",)
"""Keys the program reads as secrets: known to users, and no part of the settings."""


def password_command(stack: str) -> str:
    """The command that sets the vCenter's password for `stack`."""
    return f"pulumi config set --secret vcenterPassword -s {stack}"


def password_hint(file: str) -> str:
    """Where a password belongs that was written among the settings of the stack file `file`."""
    stack = file.removeprefix("Pulumi.").removesuffix(".yaml")
    return f"take it out, and run {password_command(stack)}"


def is_password(key: str) -> bool:
    """Whether a key that is no setting was meant to hold the vCenter's password."""
    return "password" in key.lower()


def plain_password(file: str, key: str) -> Problem:
    """The problem of a password that stands readable in `file`; it says nothing of the value."""
    stack = file.removeprefix("Pulumi").removesuffix(".yaml").removeprefix(".")
    instead = f"run {password_command(stack)}"
    if not stack:
        instead = f"take it out, and run {password_command('<stack>')} for each stack"
    return Problem(file, key, None, "is given as plain text", instead)


def secure(file: str, key: str) -> Problem:
    """The problem of an encrypted setting; it says nothing of the value."""
    plain = "write it in plain, or leave it out: it is stored in clear in the program's resources"
    instead = password_hint(file) if is_password(key) else plain
    return Problem(file, key, None, "is secure", instead)


def secure_paths(value: object, path: str) -> Iterator[str]:
    """Where something encrypted stands in `value`, which a file has at `path`."""
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            yield path
            return
        for key, inner in value.items():
            yield from secure_paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from secure_paths(inner, f"{path}[{place}]")
