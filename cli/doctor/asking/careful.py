"""Questions that may stay without an answer."""

import re
import zlib
from collections.abc import Callable

from cli.doctor.asking.api import NoAnswerError
from cli.doctor.facts import Asked, Unanswered, Value

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OSError, EOFError, zlib.error)


def asked(question: Callable[[], Value]) -> Asked[Value]:
    """What a question gives, or why nothing."""
    try:
        return question()
    except NoAnswerError as error:
        return Unanswered(str(error))
    except _UNREADABLE as error:
        # Never the error's words: they may hold a piece of what was read.
        return Unanswered(f"an answer that can't be read ({type(error).__name__})")


def version_in(text: str) -> str:
    """The three numbers of a version, such as v1.36.3+vendor; ValueError where there are none."""
    found = re.search(r"\d+\.\d+\.\d+", text)
    if not found:
        raise ValueError("no version")
    return found[0]
