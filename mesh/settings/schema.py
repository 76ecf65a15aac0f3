"""JSON Schema of a stack file and of Pulumi.yaml, for editors: the settings, as one writes them.

It knows what one value can show. Rules between values are the program's and `mesh check`'s.
"""

import re
from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from mesh.settings.load import PROJECT_KEYS
from mesh.settings.secrets import SECRET_KEYS
from mesh.settings.settings import Settings

Schema = dict[str, Any]

_BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS = rf"{_BYTE}(\.{_BYTE}){{3}}"
_PREFIX = "/(3[0-2]|[12]?[0-9])"
_PATTERNS = {
    "ipv4": f"^{_ADDRESS}$",
    "ipv4network": f"^{_ADDRESS}{_PREFIX}$",
    "addresses": f"^{_ADDRESS}( *- *{_ADDRESS}|{_PREFIX})$",
}
"""For the formats that editors and validators know each in its own way, or not at all."""
_DRAFT = "http://json-schema.org/draft-07/schema#"  # the one that every editor has
_OF_THE_ENGINE = ("encryptionsalt", "encryptedkey", "secretsprovider", "environment")


def stack_schema(project_name: str) -> Schema:
    """The schema of Pulumi.<stack>.yaml: keys with the project's namespace or without it."""
    definitions, keys = _settings()
    own = {key: schema for key, schema in keys.items() if key not in PROJECT_KEYS}
    own |= {key: _secure(key) for key in SECRET_KEYS}
    needed = [key for key in _required() if key not in PROJECT_KEYS]
    config = _config(own, needed, project_name)
    others: Schema = dict.fromkeys(_OF_THE_ENGINE, True)
    title = "What one cluster of the mesh is, for its stack"
    properties = {"config": config, **others}
    return _document(title, properties, definitions) | {"additionalProperties": False}


def project_schema(project_name: str) -> Schema:
    """The schema of Pulumi.yaml, as far as this program has a say: its config."""
    definitions, keys = _settings()
    wrapped = {key: _wrapped(schema) for key, schema in keys.items()}
    needed = [key for key in _required() if key in PROJECT_KEYS]
    config = _config(wrapped, needed, project_name)
    return _document("What all clusters of the mesh share", {"config": config}, definitions)


def _document(title: str, properties: Schema, definitions: Schema) -> Schema:
    return {
        "$schema": _DRAFT,
        "title": title,
        "type": "object",
        "required": ["config"],
        "properties": properties,
        "$defs": definitions,
    }


def _config(keys: Schema, needed: list[str], project_name: str) -> Schema:
    spelt = {key: (key, f"{project_name}:{key}") for key in keys}
    # An escaped hyphen is no pattern to the validators that read as JavaScript does.
    ours = re.escape(project_name).replace(r"\-", "-")
    return {
        "type": "object",
        "properties": {name: keys[key] for key, names in spelt.items() for name in names},
        "patternProperties": {f"^(?!{ours}:)[^:]+:[^:]+$": True},
        "additionalProperties": False,
        "allOf": [{"anyOf": [{"required": [name]} for name in spelt[key]]} for key in needed],
    }


def _settings() -> tuple[Schema, Schema]:
    """The definitions of all groups, and the schema of each key."""
    whole = Settings.model_json_schema(schema_generator=_Plain)
    plain: Schema = _for_editors(whole)
    keys: Schema = plain["properties"]
    # A list that is left empty is refused: it would read like none, and be all.
    [listed, _] = keys["peers"].pop("anyOf")
    del keys["peers"]["default"]
    keys["peers"] |= listed
    group = keys["acceptance"]  # of which a word is enough
    either = [{"type": "boolean"}, *group["allOf"]]
    keys["acceptance"] = {"description": group["description"], "anyOf": either}
    return plain["$defs"], keys


class _Plain(GenerateJsonSchema):
    """Without a title for each field: it would only be the key once more."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002 - as pydantic has it
        return False


def _for_editors(schema: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Formats as patterns, texts in one line, and nothing beside a `$ref`, which hides it."""
    if isinstance(schema, list):
        return [_for_editors(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _for_editors(part) for key, part in schema.items() if not _is_title(key, part)}
    if isinstance(text := plain.get("description"), str):
        plain["description"] = " ".join(text.split())
    if isinstance(name := plain.get("format"), str):
        del plain["format"]
        plain["pattern"] = _PATTERNS[name]
    if "$ref" in plain and len(plain) > 1:
        plain["allOf"] = [{"$ref": plain.pop("$ref")}]
    return plain


def _is_title(key: str, part: object) -> bool:
    return key == "title" and isinstance(part, str)


def _required() -> list[str]:
    return [str(field.alias) for field in Settings.model_fields.values() if field.is_required()]


def _secure(key: str) -> Schema:
    return {
        "description": f"Set by `pulumi config set --secret {key}`; never written by hand.",
        "type": "object",
        "required": ["secure"],
        "properties": {"secure": {"type": "string"}},
        "additionalProperties": False,
    }


def _wrapped(schema: Mapping[str, Any]) -> Schema:
    """In Pulumi.yaml a value stands below the word `value`; only a list may stand alone."""
    below: Schema = {
        "description": schema.get("description", ""),
        "type": "object",
        "properties": {
            "value": schema,
            "default": schema,
            "type": {"type": "string"},
            "description": {"type": "string"},
        },
        "additionalProperties": False,
        "oneOf": [{"required": ["value"]}, {"required": ["default"]}],
    }
    return {"anyOf": [schema, below]} if schema.get("type") == "array" else below
