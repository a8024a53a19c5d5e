"""A browser without JavaScript: completes an authorization by the conventions of the pages.

Import `Person`, or run `browser.py EMAIL URL allow|deny [CLIENT]`: it prints the redirect URI with its parameters. The
cookies of a person are kept in the working folder, as a browser keeps them.
"""

import html.parser
import http.cookiejar
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ["INBOXD_URL"]


class Refused(Exception):
    """The server showed a page with an error; it sent no redirect."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Page(html.parser.HTMLParser):
    """Text and forms of a page. A form has action, method, fields in order, and buttons."""

    def __init__(self, source):
        super().__init__()
        self.forms, self.text, self.select, self.option = [], "", None, None
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        field = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.forms.append({"action": field.get("action", ""), "method": field.get("method", "get"), "fields": []})
        elif tag == "select":
            self.select = {**field, "type": "select", "options": []}
            self.add(self.select)
        elif tag == "option" and self.select is not None:
            self.option = {"value": field.get("value"), "selected": "selected" in field, "text": ""}
            self.select["options"].append(self.option)
        elif tag in ("input", "button", "textarea"):
            self.add({"type": {"button": "submit"}.get(tag, "text"), **field})

    def handle_endtag(self, tag):
        if tag == "select":
            self.select = None
        elif tag == "option":
            self.option = None

    def handle_data(self, data):
        self.text += data
        if self.option is not None:
            self.option["text"] += data

    def add(self, field):
        if self.forms:
            self.forms[-1]["fields"].append(field)

    def form_with(self, matches):
        """Returns the form with a matching field, and the field."""
        for form in self.forms:
            for field in form["fields"]:
                if matches(field):
                    return form, field
        return None, None


def filled(form, **values):
    """Returns the pairs that a browser submits, with these values in place of the preselected ones."""
    pairs = []
    for field in form["fields"]:
        name, kind = field.get("name"), field["type"]
        if not name or "disabled" in field or kind in ("submit", "image", "reset"):
            continue
        if name in values:
            continue
        if kind in ("checkbox", "radio"):
            if "checked" in field:
                pairs.append((name, field.get("value", "on")))
        elif kind == "select":
            chosen = [option for option in field["options"] if option["selected"]]
            if not chosen and "multiple" not in field:
                chosen = field["options"][:1]
            pairs += [(name, option["text"] if option["value"] is None else option["value"]) for option in chosen]
        else:
            pairs.append((name, field.get("value", "")))
    for name, value in values.items():
        pairs += [(name, each) for each in (value if isinstance(value, list) else [value])]
    return pairs


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    """A person at a browser, with an address at which mail arrives."""

    def __init__(self, email):
        self.email = email
        self.jar = http.cookiejar.MozillaCookieJar(f"cookies-{email}.txt")
        if os.path.exists(self.jar.filename):
            self.jar.load(ignore_discard=True)
        self.opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPCookieProcessor(self.jar))
        self.pages = []

    def request(self, url, pairs=None):
        """Sends a request and returns status, headers and text."""
        data = None if pairs is None else urllib.parse.urlencode(pairs).encode()
        request = urllib.request.Request(url, data)
        if data is not None:
            # As browsers do under `Referrer-Policy: no-referrer`.
            request.add_header("Origin", "null")
        try:
            answer = self.opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        text = answer.read().decode()
        self.jar.save(ignore_discard=True)
        return answer.status, answer.headers, text

    def codes(self):
        """Returns the codes mailed to this person so far."""
        found = []
        for line in open(os.environ["INBOXD_LOG"]):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            # The code that a sign-up mails to its owner is another one, and may arrive later.
            code = re.search(r"sign-in code is (\d{6})\b", str(entry.get("text", "")))
            if code and str(entry.get("to", "")).lower() == self.email.lower():
                found.append(code[1])
        return found

    def new_code(self, before):
        for _ in range(300):
            codes = self.codes()
            if len(codes) > before:
                return codes[-1]
            time.sleep(0.1)
        raise AssertionError(f"no new code for {self.email}")

    def authorize(self, url, decision="allow", organization=None, client=None, **choices):
        """Opens an authorization URL, signs in, decides, and returns the redirect URI with its parameters.

        `client` is a text that the consent page must show; `choices` replace preselected fields of the consent.
        """
        pairs, before, typed, consented = None, 0, None, False
        for _ in range(20):
            status, headers, text = self.request(url, pairs)
            location = headers.get("Location")
            if location is not None:
                assert status in (302, 303), (status, location)
                assert pairs is None or status == 303, f"{status} would repeat the form at {location}"
                url, pairs = urllib.parse.urljoin(url, location), None
                if not url.startswith(BASE + "/"):
                    assert consented or "error=" in url, f"no consent before {url}"
                    return url
                continue
            if status != 200:
                raise Refused(status, text)
            page = Page(text)
            self.check(url, headers, page, text)
            form, _ = page.form_with(lambda field: field.get("name") == "decision")
            if form:
                assert client is None or client in page.text, f"{client!r} is not named in {page.text!r}"
                values = [field.get("value") for field in form["fields"] if field.get("name") == "decision"]
                assert set(values) >= {"allow", "deny"}, values
                consented = True
                values = {**choices, "decision": decision}
                if organization and any(field.get("name") == "organization_id" for field in form["fields"]):
                    values["organization_id"] = organization
            elif found := page.form_with(lambda field: field.get("autocomplete") == "one-time-code"):
                form, field = found
                if form:
                    # Mail of an earlier request may arrive after this one began.
                    code = self.new_code(before)
                    if code == typed:
                        code = self.new_code(len(self.codes()))
                    assert code != typed, f"the right code was refused: {page.text}"
                    typed, values = code, {field["name"]: code}
            if not form:
                form, field = page.form_with(lambda field: field["type"] == "email")
                if form:
                    before, values = len(self.codes()), {field["name"]: self.email}
            if not form:
                form, field = page.form_with(lambda field: field.get("name") == "organization_id")
                if form:
                    values = {"organization_id": organization} if organization else {}
                    preselected = [pair for pair in filled(form) if pair[0] == "organization_id"]
                    if not organization and not preselected:
                        values = {"organization_id": field["value"]}
            assert form, f"no known form at {url}: {text}"
            assert form["method"].lower() == "post", form
            pairs = filled(form, **values)
            url = urllib.parse.urljoin(url, form["action"] or url)
        raise AssertionError(f"the pages do not end: {url}")

    def check(self, url, headers, page, text):
        """Checks that apply to every page."""
        assert headers.get_content_type() == "text/html", (url, headers.get_content_type())
        assert "no-store" in headers.get("Cache-Control", ""), (url, headers.get("Cache-Control"))
        policy = headers.get("Content-Security-Policy", "")
        assert "frame-ancestors 'none'" in policy, (url, policy)
        assert "form-action" not in policy, f"Chromium would block the redirect to the client: {policy}"
        assert headers.get("Referrer-Policy") == "no-referrer", (url, headers.get("Referrer-Policy"))
        assert "<script" not in text.lower(), f"{url} has a script"
        self.pages.append((url, page))


def parameters(url):
    """Returns the query parameters of a redirect URI; each must stand there once."""
    pairs = urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs), url
    return dict(pairs)


if __name__ == "__main__":
    print(Person(sys.argv[1]).authorize(*sys.argv[2:4], client=sys.argv[4] if len(sys.argv) > 4 else None))
