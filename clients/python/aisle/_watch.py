import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from aisle._record_all import backoff

_LONGEST = 10
"""The longest pause between two connections, in seconds."""


def watch(call: Callable[..., Any], request: Any, **options: Any) -> Iterator[Any]:
    """The messages of a stream that is opened again when the server goes away, after the last message received.

    `for message in watch(client.events.watch_events, request)`. It ends with an error that is no lost connection. To end the
    call leave the loop and close the iterator, as `with contextlib.closing(watch(…)) as messages` does.
    """
    following = type(request)()
    following.CopyFrom(request)
    attempt = 1
    while True:
        stream = call(following, **options)
        try:
            for message in stream:
                following.resume_token = message.resume_token or following.resume_token
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
