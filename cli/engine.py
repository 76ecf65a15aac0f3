"""The Pulumi engine, asked by its command line as the Automation API finds it."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulumi import automation

from cli.failure import Failure


class Engine:
    """The engine on the project of one directory, with the caller's backend and passphrase.

    It is the `pulumi` of PULUMI_ROOT's bin directory, else the one on PATH. Every failure is a
    Failure with the engine's own last words; values never stand in it.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        try:
            self._command = automation.PulumiCommand(os.environ.get("PULUMI_ROOT") or None)
        except (OSError, RuntimeError, automation.InvalidVersionError) as error:
            raise Failure(
                "no usable `pulumi`: install it on PATH, or set PULUMI_ROOT to the directory with"
                f" bin/pulumi ({error})"
            ) from error

    def backend(self) -> str:
        """Where the state is kept, as a URL."""
        return str(self._json("whoami", "--json")["url"])

    def stacks(self) -> set[str]:
        """The initialised stacks of the project."""
        return {str(one["name"]).rpartition("/")[2] for one in self._json("stack", "ls", "--json")}

    def initialise(self, stack: str) -> None:
        """Make an empty stack."""
        self._run("stack", "init", stack, "--no-select")

    def config_keys(self, stack: str) -> set[str]:
        """The keys of a stack's config, with their namespaces."""
        return set(self._json("config", "--json", "--stack", stack))

    def config(self, stack: str) -> dict[str, str]:
        """A stack's config, secrets in clear."""
        found = self._json("config", "--json", "--show-secrets", "--stack", stack)
        return {key: entry["value"] for key, entry in found.items() if "value" in entry}

    def outputs(self, stack: str) -> dict[str, Any]:
        """What a stack exported last, secrets in clear; nothing before its first `up`."""
        found = self._json("stack", "output", "--json", "--show-secrets", "--stack", stack)
        return dict(found)

    def export(self, stack: str, *, show_secrets: bool) -> dict[str, Any]:
        """A stack's state; without `show_secrets` its secrets stay encrypted."""
        options = ["--show-secrets"] if show_secrets else []
        return dict(self._json("stack", "export", *options, "--stack", stack))

    def import_encrypted(self, stack: str, state: Mapping[str, Any]) -> None:
        """Replace a stack's state by one exported without `show_secrets`."""
        with tempfile.NamedTemporaryFile("w", prefix="mesh-", suffix=".json") as file:
            json.dump(state, file)
            file.flush()
            self._run("stack", "import", "--file", file.name, "--stack", stack)

    def _json(self, *arguments: str) -> Any:  # noqa: ANN401 - the engine's own document
        return json.loads(self._run(*arguments))

    def _run(self, *arguments: str) -> str:
        try:
            return self._command.run([*arguments], str(self._directory), {}).stdout
        except automation.CommandError as error:
            said = last_words(str(error))
            raise Failure(f"pulumi {' '.join(arguments[:2])}: {said}") from error


def last_words(error: str) -> str:
    """The engine's own reason out of a failed command's report, in one line."""
    _, _, stderr = error.partition("stderr:")
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    reasons = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return (reasons or lines or ["it failed without a word"])[-1]
