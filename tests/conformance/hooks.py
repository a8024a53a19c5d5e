"""Leads the calls to what exists, and weighs what they are refused for.

Every check of Schemathesis is on. What it finds is left out in one case, see `counts`.
"""

import json
import os
import re
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData

with open(os.environ["INBOXD_IDS"]) as ids:
    IDS = json.load(ids)

# Fields with rules that no schema can say, though their schema says all the rest.
BEYOND_SCHEMAS = {
    "expires_at": "lies in the future",
    "permissions": "what a key can hold depends on how far it reaches",
}


@schemathesis.hook
def map_case(context, case):
    """Leads seven of eight calls to what exists. What breaks the rules on purpose stays as it is."""
    whole = repr((case.method, case.path, case.path_parameters, case.query, case.body))
    drawn = zlib.crc32(whole.encode("utf-8", "replace"))
    if drawn % 8 == 0:
        return case
    if not is_negative(case, ParameterLocation.PATH):
        for name in case.path_parameters or {}:
            values = values_of(case, name)
            case.path_parameters[name] = values[drawn // 8 % len(values)]
    # The token of a page cannot be made up: with one, every list would refuse every call.
    if not is_negative(case, ParameterLocation.QUERY) and "page_token" in (case.query or {}):
        del case.query["page_token"]
    return case


def is_negative(case, location):
    made = case.meta.components.get(location) if case.meta else None
    return made is not None and made.mode.is_negative


def values_of(case, name):
    """The values for a parameter of a path; a call that deletes gets those that may go."""
    place = case.path[: case.path.index("{" + name + "}")] + "{" + name + "}"
    known = [end for end in IDS if place.endswith(end)]
    if not known:
        raise LookupError(f"tests/conformance/seeds.rs has no value for {place}")
    values = IDS[max(known, key=len)]
    # What one operation has deleted is gone for the others: each has its share.
    paths = case.operation.schema.raw_schema["paths"]
    rivals = sorted(path for path in paths if "delete" in paths[path] and path.endswith(max(known, key=len)))
    if case.method != "DELETE" or case.path not in rivals:
        return values["kept"]
    if "doomed" not in values:
        raise LookupError(f"tests/conformance/seeds.rs has nothing for {case.path} to delete")
    return values["doomed"][rivals.index(case.path) :: len(rivals)]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return counts(failure, case, response)


def counts(failure, case, response):
    """Whether a failure is one. The document says the bounds of a field where a schema can; such a field has to be
    taken within them. A field of which it says nothing but that it is a text (an address, a label, the token of a
    page) may be refused: with 422 and by its name."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return True
    named = {re.split(r"[.\[]", error["path"])[0] for error in response.json()["errors"]}
    return any(name not in BEYOND_SCHEMAS and not is_open(case, schema_of(case, name)) for name in named)


def schema_of(case, name):
    """The schema of a field of the body or of a parameter of the query string; None where there is none."""
    operation = case.operation.definition.raw
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query" and parameter["name"] == name:
            return parameter["schema"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        for schema in with_parts(case, content["schema"]):
            if name in schema.get("properties", {}):
                return schema["properties"][name]
    return None


def with_parts(case, schema):
    """A schema and those that it is put together from."""
    if "$ref" in schema:
        schema = case.operation.schema.raw_schema["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    yield schema
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key, []):
            yield from with_parts(case, part)


def is_open(case, schema):
    """Whether a schema leaves a text open somewhere."""
    if not isinstance(schema, dict):
        return False
    for part in with_parts(case, schema):
        kinds = part.get("type", [])
        bounds = {"const", "enum", "format", "maxLength", "pattern"} & part.keys()
        if "string" in ([kinds] if isinstance(kinds, str) else kinds) and not bounds:
            return True
        inner = [part.get("items"), part.get("additionalProperties"), *part.get("properties", {}).values()]
        if any(is_open(case, schema) for schema in inner):
            return True
    return False
