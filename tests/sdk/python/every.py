"""Records the client methods that a script calls, and calls the remaining ones."""

import importlib
import inspect
import pathlib
import pkgutil
import re
from collections import namedtuple

import agentmail
from agentmail.core.api_error import ApiError

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs/compatibility.md"


def listed(heading):
    """Returns the first words in backticks of the table lines below a heading of docs/compatibility.md."""
    _, section = DOCUMENT.read_text().split(f"\n## {heading}\n", 1)
    return set(re.findall(r"^\| `([^`]+)`", section.split("\n## ", 1)[0], re.M))


NOT_OFFERED = listed("Methods that answer 404")

Method = namedtuple("Method", "resource name function")
called = set()


def methods():
    """Yields every method of every resource in the package."""
    for module in pkgutil.walk_packages(agentmail.__path__, "agentmail."):
        if not module.name.endswith(".client"):
            continue
        resource = module.name.removeprefix("agentmail.").removesuffix(".client")
        for name, kind in vars(importlib.import_module(module.name)).items():
            is_resource = inspect.isclass(kind) and kind.__module__ == module.name and not name.startswith("Async")
            for function in vars(kind).values() if is_resource else ():
                if inspect.isfunction(function) and not function.__name__.startswith("_"):
                    yield kind, Method(resource, function.__name__, function)


def full(method):
    return f"{method.resource}.{method.name}"


def is_offered(method):
    return not {method.resource, full(method)} & NOT_OFFERED


def record():
    """Makes every method record its calls."""
    for kind, method in list(methods()):
        def noting(*args, method=method, **kwargs):
            called.add(full(method))
            return method.function(*args, **kwargs)

        setattr(kind, method.name, noting)


def resource_of(client, path):
    for name in path.split("."):
        client = getattr(client, name)
    return client


def check(client, every):
    """Requires that each offered method was called, and that each other one returns 404 or 405 in the envelope."""
    missed = [full(method) for method in every if is_offered(method) and full(method) not in called]
    assert not missed, f"never called: {missed}"
    for method in every:
        if is_offered(method):
            continue
        required = [
            parameter.name for parameter in inspect.signature(method.function).parameters.values()
            if parameter.default is parameter.empty and parameter.name not in ("self", "request_options")
        ]
        call = getattr(resource_of(client, method.resource), method.name)
        try:
            call(**dict.fromkeys(required, "x"), request_options={"max_retries": 0})
        except ApiError as error:
            body = error.body if isinstance(error.body, dict) else error.body.dict()
            refusals = (404, "route_not_found"), (405, "method_not_allowed")
            assert (error.status_code, body["code"]) in refusals, (full(method), error)
            assert {"name", "message", "fix", "docs"} <= body.keys(), (full(method), body)
        else:
            raise AssertionError(f"{full(method)} is answered although it is not offered")
