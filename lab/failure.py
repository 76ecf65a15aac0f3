"""How the lab says that something can't be done."""


class LabError(Exception):
    """The lab can't do what was asked; the text says why and what to do."""
