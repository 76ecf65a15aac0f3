"""Whether a cluster proves to itself that the mesh works."""

from typing import Any

from pydantic import model_validator

from mesh.settings.base import Image, Model, refused


class AcceptanceSettings(Model):
    """Whether a Job in the cluster checks names and traffic to every peer, after each change.

    `acceptance: true` alone is the group with its defaults.
    """

    enabled: bool = True
    """Check the mesh from inside; a group that is written has it on."""
    required: bool = False
    """End `up` with an error when a check fails; else the failure is a warning and an output."""
    image: Image = "docker.io/library/python:3.13-slim"
    """Image with Python 3.11 or newer and glibc; nothing else of it is used."""

    @model_validator(mode="before")
    @classmethod
    def a_word_is_enough(cls, value: Any) -> Any:  # noqa: ANN401 - whatever a user wrote
        """`true` and `false` stand for a group; the engine hands them over as texts."""
        if value is True or value is False:
            return {"enabled": value}
        if value in ("true", "false"):
            return {"enabled": value == "true"}
        if not isinstance(value, dict | AcceptanceSettings):
            raise refused("is neither true nor a group", "write true or false")
        return value
