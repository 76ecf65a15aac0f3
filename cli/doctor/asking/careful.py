"""Questions that may stay without an answer."""

from collections.abc import Callable

from cli.doctor.asking.api import NoAnswerError
from cli.doctor.facts import Asked, Unanswered, Value


def asked(question: Callable[[], Value]) -> Asked[Value]:
    """What a question gives, or why nothing."""
    try:
        return question()
    except NoAnswerError as error:
        return Unanswered(str(error))
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        # Never the error's words: they may hold a piece of what was read.
        return Unanswered(f"an answer that can't be read ({type(error).__name__})")
