package aisle;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What Aisle tells of a failed call. */
public final class Errors {
  private Errors() {}

  /** Why Aisle refused a call, such as {@code APP_NOT_FOUND}; empty when the error does not come from Aisle. */
  public static String reasonOf(Throwable error) {
    return detail(error, ErrorInfo.class).map(ErrorInfo::getReason).orElse("");
  }

  /** The fields that Aisle did not accept, each with FIELD_MISSING or FIELD_INVALID as its reason and a description. */
  public static List<BadRequest.FieldViolation> fieldsOf(Throwable error) {
    return detail(error, BadRequest.class).map(BadRequest::getFieldViolationsList).orElse(List.of());
  }

  /** The time after which Aisle asks to call again. */
  public static Optional<Duration> retryDelayOf(Throwable error) {
    return detail(error, RetryInfo.class)
        .map(RetryInfo::getRetryDelay)
        .map(delay -> Duration.ofSeconds(delay.getSeconds(), delay.getNanos()));
  }

  private static <T extends Message> Optional<T> detail(Throwable error, Class<T> type) {
    Status status = StatusProto.fromThrowable(error);
    if (status == null) return Optional.empty();
    for (Any detail : status.getDetailsList()) {
      if (!detail.is(type)) continue;
      try {
        return Optional.of(detail.unpack(type));
      } catch (InvalidProtocolBufferException damaged) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
