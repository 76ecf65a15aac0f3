"""How the command `mesh` starts and ends: in words, and never in a traceback."""

import sys
from pathlib import Path


def main() -> None:
    """Run the command; an expected failure ends in its words and 1, an interrupt in 130."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        reason = (error.strerror or "a file or a program failed").lower()
        _end(f"mesh: {error.filename}: {reason}" if error.filename else f"mesh: {reason}")


def _run() -> None:
    try:
        Path.cwd()
    except FileNotFoundError:
        _end("mesh: the current directory was deleted: change to the project's directory")
    # Loaded this late, as it takes a second in which one may press Ctrl-C.
    from cli.app import app
    from cli.failure import Failure

    try:
        app()
    except Failure as failure:
        _end(f"mesh: {failure}")


def _end(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.exit(1)


if __name__ == "__main__":
    main()
