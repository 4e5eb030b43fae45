import itertools
import random
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import grpc

from aisle._contract import BACKOFF_MULTIPLIER, INITIAL_BACKOFF, MAX_ATTEMPTS, MAX_BACKOFF
from aisle._services import EventService
from aisle.v1 import Event, RecordEventsRequest, RecordEventsResponse, RefusedItem


@dataclass
class RecordedTotals:
    """What became of many events."""

    accepted: int = 0
    """Events stored."""
    deduplicated: int = 0
    """Events whose key was known."""
    refused: list[RefusedItem] = field(default_factory=list)
    """Events not stored, with their position among all events; at most 1,000 of each call."""
    refused_total: int = 0
    """Number of all events not stored."""


def record_all(
    service: EventService,
    app_id: str,
    events: Iterable[Event],
    *,
    key_of: Callable[[Event], str] = lambda _: str(uuid.uuid4()),
    batch_size: int = 500,
    batches_per_call: int = 20,
) -> RecordedTotals:
    """Records many events in batches. A call that finds the server unavailable is repeated; the keys store each event once.

    `key_of` gives the key of an event, for example its order id. A message has `batch_size` events, at most 1,000; a call has
    `batches_per_call` messages and is what is repeated.
    """
    totals = RecordedTotals()
    remaining = iter(events)
    sent = 0
    while part := list(itertools.islice(remaining, batch_size * batches_per_call)):
        batches = [
            RecordEventsRequest(app_id=app_id, events=batch, idempotency_keys=[key_of(event) for event in batch])
            for batch in (part[at : at + batch_size] for at in range(0, len(part), batch_size))
        ]
        answer = _record(service, batches)
        totals.accepted += answer.accepted
        totals.deduplicated += answer.deduplicated
        totals.refused_total += answer.refused_total
        for item in answer.refused:
            item.index += sent
            totals.refused.append(item)
        sent += len(part)
    return totals


def _record(service: EventService, batches: list[RecordEventsRequest]) -> RecordEventsResponse:
    for attempt in itertools.count(1):
        try:
            return service.record_events(iter(batches))
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or attempt == MAX_ATTEMPTS:
                raise
        time.sleep(backoff(attempt))
    raise AssertionError("an attempt returns or raises")


def backoff(attempt: int, longest: float = MAX_BACKOFF) -> float:
    """Seconds before the next attempt: exponential, with jitter."""
    return random.random() * min(longest, INITIAL_BACKOFF * BACKOFF_MULTIPLIER ** min(attempt - 1, 20))
