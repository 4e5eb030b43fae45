import os
import uuid
from importlib import resources
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import grpc

from aisle._contract import KEY_FIELDS, WAIT_FIELD
from aisle._services import Services

SERVICE_CONFIG = resources.files("aisle").joinpath("service-config.json").read_text()
"""The gRPC service config of a connection: which calls it repeats while the server is unavailable."""

_LONGEST_ANSWER = 16 << 20
"""The server's limit of an answer in bytes; gRPC's own is 4 MiB."""


class Client(Services):
    """A client of each service. They share one connection, which the first call opens."""

    def __init__(self, channel: grpc.Channel) -> None:
        super().__init__(channel)
        self._channel = channel

    def close(self) -> None:
        """Closes the connection."""
        self._channel.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(
    server: str | None = None,
    *,
    token: str | None = None,
    ca: str | os.PathLike[str] | None = None,
    timeout: float = 10,
    options: list[tuple[str, object]] | None = None,
) -> Client:
    """Makes a client of the server at an address.

    Not named, the address is AISLE_SERVER, else http://127.0.0.1:8081; the token AISLE_TOKEN, else none; the PEM file of the
    authority of an https server AISLE_CA, else gRPC's own authorities count. A unary call without a timeout has `timeout`, in
    seconds. `options` are further ones of the gRPC channel.
    """
    address = urlsplit(server or os.environ.get("AISLE_SERVER") or "http://127.0.0.1:8081")
    ca = ca or os.environ.get("AISLE_CA") or None
    defaults = [("grpc.service_config", SERVICE_CONFIG), ("grpc.max_receive_message_length", _LONGEST_ANSWER)]
    all_options = [*defaults, *(options or [])]
    if address.scheme == "http":
        channel = grpc.insecure_channel(address.netloc, all_options)
    elif address.scheme == "https":
        credentials = grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None)
        channel = grpc.secure_channel(address.netloc, credentials, all_options)
    else:
        raise ValueError("the server's address begins with http:// or https://")
    interceptor = _Defaults(token or os.environ.get("AISLE_TOKEN") or None, timeout)
    return Client(grpc.intercept_channel(channel, interceptor))


class _CallDetails(NamedTuple):
    method: str
    timeout: float | None
    metadata: list[tuple[str, str]] | None
    credentials: grpc.CallCredentials | None
    wait_for_ready: bool | None
    compression: grpc.Compression | None


class _Defaults(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Adds the token to every call; to a unary one also a timeout, and a key where the contract has a field for it."""

    def __init__(self, token: str | None, timeout: float) -> None:
        self._metadata = [("authorization", f"Bearer {token}")] if token else []
        self._timeout = timeout

    def intercept_unary_unary(self, continuation, details, request):
        # The server may wait for other work before it answers.
        usual = None if WAIT_FIELD in request.DESCRIPTOR.fields_by_name else self._timeout
        timeout = usual if details.timeout is None else details.timeout
        return continuation(self._with_token(details, timeout), _with_key(request))

    def intercept_unary_stream(self, continuation, details, request):
        return continuation(self._with_token(details, details.timeout), request)

    def intercept_stream_unary(self, continuation, details, requests):
        return continuation(self._with_token(details, details.timeout), requests)

    def intercept_stream_stream(self, continuation, details, requests):
        return continuation(self._with_token(details, details.timeout), requests)

    def _with_token(self, details, timeout):
        metadata = [*(details.metadata or []), *self._metadata]
        return _CallDetails(
            details.method,
            timeout,
            metadata,
            details.credentials,
            getattr(details, "wait_for_ready", None),
            getattr(details, "compression", None),
        )


def _with_key(request):
    """Fills an empty key, so that the server recognizes a further attempt. The caller's request stays as it is."""
    for name in KEY_FIELDS:
        if name in request.DESCRIPTOR.fields_by_name and not getattr(request, name):
            filled = type(request)()
            filled.CopyFrom(request)
            setattr(filled, name, str(uuid.uuid4()))
            return filled
    return request
