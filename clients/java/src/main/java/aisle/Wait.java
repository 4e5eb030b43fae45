package aisle;

import aisle.v1.Operation;
import aisle.v1.WaitOperationRequest;
import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;

/** Waits for long work. */
public final class Wait {
  private Wait() {}

  /**
   * The operation when it has ended with a result, such as the model of a training. Throws the error of a failed one, as a
   * failed call would, and CANCELLED for a cancelled one.
   */
  public static Operation of(Aisle aisle, Operation operation) {
    var request = WaitOperationRequest.newBuilder()
        .setAppId(operation.getAppId())
        .setOperationId(operation.getOperationId())
        .build();
    while (true) {
      Operation found = aisle.operations().waitOperation(request).getOperation();
      switch (found.getState()) {
        case OPERATION_STATE_SUCCEEDED:
          return found;
        case OPERATION_STATE_CANCELLED:
          throw io.grpc.Status.CANCELLED.withDescription("the operation was cancelled").asRuntimeException();
        case OPERATION_STATE_FAILED:
          var error = found.getError();
          var info = ErrorInfo.newBuilder().setDomain("aisle").setReason(error.getReason().name()).build();
          var status = Status.newBuilder().setCode(error.getCode()).setMessage(error.getMessage());
          throw StatusProto.toStatusRuntimeException(status.addDetails(Any.pack(info)).build());
        default:
      }
    }
  }
}
