"""What the command says when it can't do its work."""


class Failure(Exception):  # noqa: N818 - expected, and no defect of the program
    """An expected end without success; its text is shown as it is, without a traceback."""
