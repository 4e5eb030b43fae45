import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import grpc

from aisle._record_all import backoff

Message = TypeVar("Message")

_LONGEST = 10
"""The longest pause between two connections, in seconds."""


def watch(
    open_stream: Callable[[str], Iterator[Message]],
    token_of: Callable[[Message], str],
    token: str = "",
) -> Iterator[Message]:
    """The messages of a stream that is opened again when the server goes away, after the last message received.

    `open_stream` makes the call that continues after a token, empty at first; `token_of` reads the token of a message. It ends
    with an error that is no lost connection; close it, or leave its loop, to end it.
    """
    attempt = 1
    while True:
        stream = open_stream(token)
        try:
            for message in stream:
                token = token_of(message) or token
                attempt = 1
                yield message
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        finally:
            if isinstance(stream, grpc.RpcContext):
                stream.cancel()
        time.sleep(backoff(attempt, _LONGEST))
        attempt += 1
