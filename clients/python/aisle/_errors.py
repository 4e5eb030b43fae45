from typing import TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

_Detail = TypeVar("_Detail", bound=Message)


def reason_of(error: grpc.RpcError) -> str | None:
    """Why Aisle refused a call, such as `Reason.APP_NOT_FOUND`; None when the error does not come from Aisle."""
    info = _detail(error, error_details_pb2.ErrorInfo())
    return info.reason if info else None


def fields_of(error: grpc.RpcError) -> list[error_details_pb2.BadRequest.FieldViolation]:
    """The fields that Aisle did not accept, each with FIELD_MISSING or FIELD_INVALID as its reason and a description."""
    bad = _detail(error, error_details_pb2.BadRequest())
    return list(bad.field_violations) if bad else []


def retry_delay_of(error: grpc.RpcError) -> float | None:
    """Seconds after which Aisle asks to call again; None when it names no time."""
    info = _detail(error, error_details_pb2.RetryInfo())
    return info.retry_delay.ToTimedelta().total_seconds() if info else None


def _detail(error: grpc.RpcError, found: _Detail) -> _Detail | None:
    status = rpc_status.from_call(error)
    details = status.details if status else []
    return next((found for detail in details if detail.Unpack(found)), None)
