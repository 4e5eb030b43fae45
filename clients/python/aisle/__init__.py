"""Client of Aisle. `connect` gives clients of all services, with a deadline and retries for each call; messages are in `aisle.v1`."""

from aisle._client import SERVICE_CONFIG, Client, connect
from aisle._errors import fields_of, reason_of, retry_delay_of
from aisle._pages import pages
from aisle._reasons import Reason
from aisle._record_all import RecordedTotals, record_all
from aisle._wait import OperationError, wait
from aisle._watch import watch

__all__ = [
    "SERVICE_CONFIG",
    "Client",
    "OperationError",
    "Reason",
    "RecordedTotals",
    "connect",
    "fields_of",
    "pages",
    "reason_of",
    "record_all",
    "retry_delay_of",
    "wait",
    "watch",
]
