"""Compares the requests and response types of every method with the OpenAPI document and docs/compatibility.md."""

import importlib
import inspect
import json
import re
import typing
import urllib.request

import pydantic
import typing_extensions

import every
from support import URL

REQUEST = re.compile(r'httpx_client\.(?:request|stream)\(\s*f?"(v0/[^"]*)".*?method="([A-Z]+)"', re.S)


def operation_of(method):
    """Returns verb and path of a method, without names of parameters, and its response type."""
    module = importlib.import_module(f"agentmail.{method.resource}.raw_client")
    raw = next(kind for name, kind in vars(module).items() if name.startswith("Raw") and kind.__module__ == module.__name__)
    function = getattr(raw, method.name)
    found = REQUEST.search(inspect.getsource(function))
    if found is None:
        return None, None
    path = re.sub(r"\{[^}]*\}", "{}", found[1])
    (answer,) = typing.get_args(typing.get_type_hints(function)["return"]) or (None,)
    return f"{found[2]} /{path}", answer


class Comparison:
    """Fields of response types that the document lacks."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.missing = set()
        self.compared = set()
        self.seen = set()

    def resolve(self, schema):
        """Returns the schemas behind references, alternatives and combinations."""
        if "$ref" in schema:
            return self.resolve(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        parts = [part for key in ("allOf", "anyOf", "oneOf") for part in schema.get(key, [])]
        return [schema, *(one for part in parts for one in self.resolve(part))]

    def compare(self, kind, schema, name):
        kind = typing.get_args(kind)[0] if typing.get_origin(kind) is typing_extensions.Annotated else kind
        schemas = self.resolve(schema)
        if inspect.isclass(kind) and issubclass(kind, pydantic.BaseModel):
            self.compare_model(kind, schemas)
            return
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Union:
            for part in parts:
                self.compare(part, schema, name)
        elif origin in (list, typing.List):
            for found in schemas:
                if "items" in found:
                    self.compare(parts[0], found["items"], name)
        elif origin in (dict, typing.Dict):
            for found in schemas:
                values = found.get("additionalProperties")
                for value in [values] if isinstance(values, dict) else found.get("properties", {}).values():
                    self.compare(parts[1], value, name)

    def compare_model(self, kind, schemas):
        offered = {}
        for schema in schemas:
            offered.update(schema.get("properties", {}))
        mark = (kind.__name__, tuple(sorted(offered)))
        if not offered or mark in self.seen:
            return
        self.seen.add(mark)
        for name, field in kind.model_fields.items():
            alias = alias_of(field) or field.alias or name
            self.compared.add(f"{kind.__name__}.{alias}")
            if alias in offered:
                self.compare(field.annotation, offered[alias], alias)
            else:
                self.missing.add(f"{kind.__name__}.{alias}")


def alias_of(field):
    """Returns the name on the wire that the client states."""
    return next((part.alias for part in field.metadata if hasattr(part, "alias")), None)


def check(methods):
    document = json.load(urllib.request.urlopen(URL + "/openapi.json"))
    offered = {}
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            offered[f"{verb.upper()} {re.sub('{[^}]*}', '{}', path)}"] = operation
    comparison = Comparison(document)
    absent, count = set(), 0
    for method in methods:
        called, answer = operation_of(method)
        count += called is not None
        if called is None:
            continue
        operation = offered.get(called)
        if operation is None:
            absent.add(every.full(method))
            continue
        for status, response in operation["responses"].items():
            schema = response.get("content", {}).get("application/json", {}).get("schema")
            if status.startswith("2") and schema and answer is not None:
                comparison.compare(answer, schema, every.full(method))
    assert count > 175, count
    assert len(comparison.compared) > 150, len(comparison.compared)
    documented = {every.full(method) for method in methods if not every.is_offered(method)}
    assert absent == documented, (absent - documented, documented - absent)
    fields = every.listed("Fields that responses lack")
    missing = comparison.missing
    assert missing == fields, (sorted(missing - fields), sorted(fields - missing))
