import grpc
from google.protobuf.any_pb2 import Any
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status.rpc_status import GRPC_DETAILS_METADATA_KEY

from aisle._services import OperationService
from aisle.v1 import ErrorReason, Operation, OperationState, WaitOperationRequest


class OperationError(grpc.RpcError):
    """Why an operation did not succeed. `reason_of` reads it as the error of a call."""

    def __init__(self, code: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self._code = next(each for each in grpc.StatusCode if each.value[0] == code)
        self._message = message
        info = Any()
        info.Pack(error_details_pb2.ErrorInfo(domain="aisle", reason=reason))
        status = status_pb2.Status(code=code, message=message, details=[info] if reason else [])
        self._metadata = ((GRPC_DETAILS_METADATA_KEY, status.SerializeToString()),)

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._message

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        return self._metadata


def wait(operations: OperationService, operation: Operation) -> Operation:
    """The operation when it has ended with a result, such as the model of a training.

    A failed one raises its error, as a failed call would, and a cancelled one CANCELLED.
    """
    request = WaitOperationRequest(app_id=operation.app_id, operation_id=operation.operation_id)
    while True:
        found = operations.wait_operation(request).operation
        if found.state == OperationState.OPERATION_STATE_SUCCEEDED:
            return found
        if found.state == OperationState.OPERATION_STATE_CANCELLED:
            raise OperationError(code_pb2.CANCELLED, "the operation was cancelled")
        if found.state == OperationState.OPERATION_STATE_FAILED:
            error = found.error
            raise OperationError(error.code, error.message, ErrorReason.Name(error.reason))
