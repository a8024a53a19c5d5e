"""Points calls to existing resources, omits repeated calls and filters expected refusals.

All checks of Schemathesis are enabled. Findings are ignored in one case, see `counts`.
"""

import ast
import atexit
import collections
import json
import os
import re
import threading
import zlib

import requests
import schemathesis
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase
from schemathesis.openapi.checks import RejectedPositiveData

# Python 3.11 counts the recursion depth of syntax trees for all threads together. When both workers build one at the
# same time, it fails with "AST constructor recursion depth mismatch".
ONE_AT_A_TIME = threading.RLock()
PARSE = ast.parse


def parse(*source, **options):
    with ONE_AT_A_TIME:
        return PARSE(*source, **options)


ast.parse = parse

with open(os.environ["INBOXD_SEEDS"]) as seeds:
    SEEDS = json.load(seeds)

# Fields with rules beyond their schema.
BEYOND_SCHEMAS = {
    "all_day": "decides about the form of start and end",
    "attendees": "are mail addresses, each once",
    "body": "has the declared bytes",
    "description": "has no control characters",
    "duration_mode": "belongs to the recurrence",
    "end": "lies behind start",
    "expires_at": "lies in the future",
    "location": "has no control characters",
    "metadata": "has bounded bytes without U+0000",
    "permissions": "what a key can hold depends on how far it reaches",
    "recurrence": "begins at start",
    "reply_all": "stands beside in_reply_to, and beside no recipients",
    "require_authentication": "belongs to two of the lists",
    "send_at": "lies in the future",
    "start": "lies before end",
    "title": "is one line that is not blank",
    "undo_seconds": "stands beside no send_at",
    "window": "is a multiple of period",
    "with": "is an email address",
}
# Codes of refusals for rules beyond the schema of a field.
BEYOND_FIELDS = {
    "invalid_signature": "belongs to the octets of the body",
    "payload_too_large": "an upload has the declared bytes",
    "query_range_too_wide": "start, end and period are each right",
    "resource_limit_reached": "a place has at most ten polling webhooks",
    "system_label": "some labels are set by the service alone",
    "upgrade_required": "belongs to the connection",
}

# Number of responses by operation and status.
ANSWERS = collections.defaultdict(collections.Counter)


@schemathesis.hook
def after_call(context, case, response):
    # Calls with other methods do not test the operation.
    if response.request.method == case.operation.method.upper():
        ANSWERS[f"{response.request.method} {case.path}"][str(response.status_code)] += 1
    # Every webhook would be sent the events of all later calls.
    if (response.request.method, response.status_code) == ("POST", 200) and case.path.endswith("/webhooks"):
        url = f"{response.request.url.split('?')[0]}/{response.json()['webhook_id']}"
        gone = requests.delete(url, headers={"Authorization": f"Bearer {os.environ['INBOXD_KEY']}"}, timeout=30)
        assert gone.status_code in (204, 404), gone.text


@atexit.register
def tell_answers():
    with open(os.environ["INBOXD_ANSWERS"], "w") as answers:
        json.dump(ANSWERS, answers)


# First fields with each schema, and kinds of values that each operation was sent, see `filter_case`.
FIRSTS = set()
SENT = collections.defaultdict(set)


@schemathesis.hook
def filter_case(context, case):
    """Omits calls of the coverage phase that repeat others.

    The first operation with a schema gets all valid values of the schema, and an invalid value for each mistake in each
    place. Every other operation with the same schema gets an invalid value, and a valid value of each kind.
    """
    made = case.meta.phase.data if case.meta and case.meta.phase.name == TestPhase.COVERAGE else None
    if made is None or made.parameter_location is None:
        return True
    location, own = made.parameter_location.value, (case.path, case.method.lower())
    is_negative_case = case.meta.generation.mode.is_negative
    # A malformed content type is one mistake, and an unsupported one another.
    is_one_kind = is_negative_case and made.parameter != "Content-Type"
    kind = (is_negative_case, location, made.parameter, None if is_one_kind else made.scenario)
    if has_first_schema(case, location, made.parameter):
        if not is_negative_case:
            return True
        place = made.location if location == "body" else None
        kind += (made.scenario, made.description.removeprefix(f"{made.parameter}: "), place)
    is_new = kind not in SENT[own]
    SENT[own].add(kind)
    return is_new


def has_first_schema(case, location, name):
    """Returns whether no operation before this one has the schema of a field, or of all fields of a location."""
    with ONE_AT_A_TIME:
        if not FIRSTS:
            FIRSTS.update(first_fields(case.operation.schema.raw_schema["paths"]))
    return (case.path, case.method.lower(), location, name) in FIRSTS


def first_fields(paths):
    """Returns path, method, location and name of the first field with each schema; all fields of a location have no name."""
    firsts = {}
    for path, methods in sorted(paths.items()):
        for method, operation in sorted(methods.items()):
            fields = sorted(fields_of(operation))
            for location in ("path", "query", "header", "body"):
                here = [field for field in fields if field[0] == location]
                for name, key in [(None, (location, *here)), *((field[1], field) for field in here)]:
                    firsts.setdefault(key, (path, method, location, name))
    return firsts.values()


def fields_of(operation):
    """Yields location, name and schema of the parameters of an operation, and of its body by media type."""
    for parameter in operation.get("parameters", []):
        yield parameter["in"], parameter["name"], json.dumps(parameter["schema"], sort_keys=True)
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        yield "body", media_type, json.dumps(content["schema"], sort_keys=True)


# Maximum wait of calls for events, by the end of their path.
WAITS = {"/v0/events": "wait", "/messages/wait": "timeout"}


@schemathesis.hook
def map_case(context, case):
    case = led_to_what_exists(case)
    name = next((name for end, name in WAITS.items() if case.path.endswith(end)), None)
    query = case.query or {}
    # Invalid values stay.
    if name and (name not in query or str(query[name]).isascii() and str(query[name]).isdigit() and int(query[name]) <= 60):
        case.query = query | {name: 0}
    body = case.body
    # The server looks up the host of a URL, for seconds where it is a name without an answer.
    if isinstance(body, dict) and isinstance(body.get("url"), str) and not is_negative(case, ParameterLocation.BODY):
        number = str(zlib.crc32(repr(body).encode("utf-8", "replace")))
        case.body = body | {"url": numbered(SEEDS["fields"][":url"][0], number)}
    return case


# Valid calls of each operation so far, and the number of those that have existing resources in any case.
LED = collections.Counter()
ALWAYS_LED_CALLS = 3


def led_to_what_exists(case):
    """Points seven of eight calls, and the fields of most, to existing resources. Deliberately invalid values stay.

    The first valid calls of an operation have existing resources in any case, so that one succeeds.
    """
    body = None if isinstance(case.body, NotSet) else case.body
    whole = repr((case.method, case.path, case.path_parameters, case.query, body))
    drawn = zlib.crc32(whole.encode("utf-8", "replace"))
    LED[case.path, case.method] += bool(case.meta and not case.meta.generation.mode.is_negative)
    is_first = LED[case.path, case.method] <= ALWAYS_LED_CALLS
    if drawn % 8 == 0 and not is_first:
        return case
    if not is_negative(case, ParameterLocation.PATH):
        found = {name: values_of(case, name) for name in case.path_parameters or {}}
        number = LED[case.path, case.method] if is_first else drawn // 8
        case.path_parameters = {name: values[number % len(values)] for name, values in found.items()}
    if not is_negative(case, ParameterLocation.QUERY):
        # A generated page token is always invalid: with one, every list would refuse every call.
        query = {name: value for name, value in (case.query or {}).items() if name != "page_token"}
        case.query = led(case, query, drawn, is_first)
    if not is_negative(case, ParameterLocation.HEADER) and case.headers:
        case.headers = type(case.headers)(led(case, dict(case.headers), drawn, is_first))
    if not is_negative(case, ParameterLocation.BODY) and isinstance(case.body, dict):
        # Each kind of recipient is optional, but one is required.
        needed = {"to": None} if case.path.endswith(("/messages/send", "/forward")) else {}
        case.body = led(case, {**needed, **case.body}, drawn, is_first)
    return case


def is_negative(case, location):
    made = case.meta.components.get(location) if case.meta else None
    return made is not None and made.mode.is_negative


def led(case, fields, drawn, is_first):
    """Returns the fields, in the first and in three of four other calls with values of existing resources."""
    if drawn // 8 % 4 == 0 and not is_first:
        return fields
    found = {name: longest(SEEDS["fields"], f"{case.path}:{name}") for name in fields}
    values = {name: SEEDS["fields"][place] for name, place in found.items() if place is not None}
    return fields | {name: numbered(known[drawn // 32 % len(known)], str(drawn)) for name, known in values.items()}


def numbered(value, number):
    return json.loads(json.dumps(value).replace("#", number))


def longest(known, place):
    """Returns the longest known end of a path."""
    return max((end for end in known if place.endswith(end)), key=len, default=None)


def uses_up(method, path):
    """Returns whether the call deletes the resource of its path, or its content."""
    return method.upper() == "DELETE" or path.endswith(("/drafts/{draft_id}/send", "/messages/{message_id}/redact"))


def values_of(case, name):
    """Returns the values of a path parameter; a deleting call gets the deletable ones."""
    parameter = "{" + name + "}"
    place = case.path[: case.path.index(parameter)] + parameter
    known = longest(SEEDS["paths"], place)
    if known is None:
        raise LookupError(f"tests/conformance/seeds.rs has no value for {place}")
    values = SEEDS["paths"][known]
    # A deleted resource is missing for other operations, so each has a share.
    paths = case.operation.schema.raw_schema["paths"]
    rivals = sorted(
        path
        for path in paths
        if any(uses_up(method, path) for method in paths[path])
        and path.rsplit("}", 1)[0].endswith(known[:-1])
    )
    if not uses_up(case.method, case.path) or case.path not in rivals:
        return values["kept"]
    if "doomed" not in values:
        raise LookupError(f"tests/conformance/seeds.rs has nothing for {case.path} to use up")
    return values["doomed"][rivals.index(case.path) :: len(rivals)]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return counts(failure, case, response)


def counts(failure, case, response):
    """Returns whether a finding is a failure. A field with bounds in its schema must be accepted within them. A field
    whose schema permits any text (an address, a label, a page token) may be refused with 422 and its name. The constants
    above list rules that no schema can express."""
    if not isinstance(failure, RejectedPositiveData):
        return True
    refusal = response.json()
    if response.status_code != 422 or "errors" not in refusal:
        return refusal["code"] not in BEYOND_FIELDS
    named = {re.split(r"[.\[]", error["path"])[0] for error in refusal["errors"]}
    return any(name not in BEYOND_SCHEMAS and not is_open(case, schema_of(case, name)) for name in named)


def schema_of(case, name):
    """Returns the schema of a body field or a query parameter, or None."""
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
    """Yields a schema and its components."""
    if "$ref" in schema:
        schema = case.operation.schema.raw_schema["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    yield schema
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key, []):
            yield from with_parts(case, part)


def is_open(case, schema):
    """Returns whether a schema permits arbitrary text."""
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
