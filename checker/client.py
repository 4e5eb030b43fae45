"""Calls of the public interfaces: REST by forms, RPC by Connect's JSON over HTTP/1.1."""
import http.client
import json
import struct
from urllib.parse import urlencode


class Refused(Exception):
    """The server has answered that it did nothing."""


class Unknown(Exception):
    """No answer came, or one after which both may be true."""


class Client:
    """The connections of one thread. `ports` has the port numbers of "rest" and "rpc"; they may change between calls."""

    def __init__(self, ports):
        self.ports, self.open = ports, {}

    def send(self, side, path, body, **headers):
        port = self.ports[side]
        try:
            connection = self.open.pop(port, None) or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
            connection.request("POST" if body else "GET", path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unknown(type(error).__name__) from error
        self.open[port] = connection
        if answer.status != 200:
            maybe = answer.status in (408, 429) or answer.status >= 500
            raise (Unknown if maybe else Refused)(f"{answer.status} {text[:200]!r}")
        return answer.headers, text

    def rest(self, path, form=None, key=None):
        body = urlencode(form) if form else None
        return self.send("rest", path, body, content_type="application/x-www-form-urlencoded", idempotency_key=key)

    def rpc(self, method, **request):
        body = json.dumps(request if "app" in request else {"appId": "shop", **request})
        return json.loads(self.send("rpc", f"/aisle.v1.{method}", body, content_type="application/json")[1])

    def stream(self, method, **request):
        """The messages that answer a request of a streaming method."""
        body = json.dumps({"appId": "shop", **request}).encode()
        body = struct.pack(">BI", 0, len(body)) + body
        rest, messages = self.send("rpc", f"/aisle.v1.{method}", body, content_type="application/connect+json")[1], []
        while rest:
            size = struct.unpack(">xI", rest[:5])[0]
            messages.append(json.loads(rest[5 : 5 + size]))
            rest = rest[5 + size :]
        if "error" in (messages.pop() if messages else {"error": "cut off"}):
            raise Unknown("a stream failed")
        return messages

    def pages(self, method, field, **request):
        """Every item of a listing."""
        token = None
        while token != "":
            page = self.rpc(method, pageSize=1000, pageToken=token or "", **request)
            yield from page.get(field, [])
            token = page.get("nextPageToken", "")
