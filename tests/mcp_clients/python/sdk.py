"""A connection of the unmodified Python SDK, versions 1 and 2 of package `mcp`, and the person who authorizes it."""

import asyncio
import contextlib
import importlib.metadata
import json

from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

import browser
import document
import support

VERSION = importlib.metadata.version("mcp")
IS_SECOND = VERSION.startswith("2.")
CALLBACK = "http://127.0.0.1:33418/callback"


class Stopped(Exception):
    """The client wants a new authorization, which the person does not give."""


class Storage:
    """Tokens and client information in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Connection:
    """A client with OAuth, and the person who authorizes it."""

    def __init__(self, person, name, mode, method, **choices):
        """`method` is the authentication of the registered client, or `document`: its id is the URL of a document.

        `choices` are what the person changes on the consent page.
        """
        self.person, self.name, self.mode, self.choices = person, name, mode, choices
        self.storage, self.asked, self.answer, self.is_open = Storage(), [], None, True
        metadata = OAuthClientMetadata(
            client_name=name, redirect_uris=[CALLBACK], response_types=["code"],
            token_endpoint_auth_method="none" if method == "document" else method,
            grant_types=["authorization_code", "refresh_token"],
        )
        url = document.serve(name, CALLBACK) if method == "document" else None
        self.provider = OAuthClientProvider(
            support.MCP, metadata, self.storage, self.redirect, self.callback, client_metadata_url=url
        )

    async def redirect(self, url):
        self.asked.append(browser.parameters(url))
        if not self.is_open:
            raise Stopped(url)
        # The person takes longer than an event loop waits.
        self.answer = await asyncio.to_thread(self.person.authorize, url, client=self.name, **self.choices)

    async def callback(self):
        assert self.answer.startswith(CALLBACK + "?"), self.answer
        given = browser.parameters(self.answer)
        assert given["iss"] == support.BASE, given
        if not IS_SECOND:
            return given["code"], given["state"]
        from mcp.shared.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])

    @contextlib.asynccontextmanager
    async def session(self):
        """Connects and returns the session and the negotiated revision."""
        async with create_mcp_http_client(auth=self.provider) as http:
            transport = streamable_http_client(support.MCP, http_client=http)
            if IS_SECOND:
                from mcp import Client

                async with Client(transport, mode=self.mode) as client:
                    yield client, client.protocol_version
            else:
                from mcp import ClientSession

                async with transport as (read, write, _), ClientSession(read, write) as session:
                    started = await session.initialize()
                    yield session, started.protocolVersion


def attribute(result, name):
    """Returns an attribute, which version 2 names in snake_case."""
    words = name.split("_")
    return getattr(result, name if IS_SECOND else words[0] + "".join(word.title() for word in words[1:]))


def content(result):
    """Returns the structured content of a successful result; the text must hold the same."""
    assert not attribute(result, "is_error"), result
    structured = attribute(result, "structured_content")
    assert structured is not None, result
    assert json.loads(result.content[0].text) == structured, result
    return structured


def failure(result):
    """Returns the text of a refusal, which has no structured content."""
    assert attribute(result, "is_error"), result
    assert attribute(result, "structured_content") is None, result
    return result.content[0].text


async def refused(call):
    """Requires that a call ends without a result, in whatever way the client reports it."""
    try:
        result = await asyncio.wait_for(call, 30)
    except BaseException as error:
        assert not isinstance(error, (AssertionError, KeyboardInterrupt, TimeoutError)), error
        return
    raise AssertionError(f"not refused: {result}")


async def tools(session):
    found, cursor = [], None
    while True:
        page = await (session.list_tools(cursor=cursor) if cursor else session.list_tools())
        found += page.tools
        cursor = attribute(page, "next_cursor")
        if not cursor:
            return found
