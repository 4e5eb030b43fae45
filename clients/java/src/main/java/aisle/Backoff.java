package aisle;

import io.grpc.Status;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts. */
final class Backoff {
  private Backoff() {}

  static boolean isUnavailable(Throwable error) {
    return Status.fromThrowable(error).getCode() == Status.Code.UNAVAILABLE;
  }

  /** Waits before attempt {@code attempt + 1}: exponentially longer, with jitter. */
  static void pause(int attempt, long longestMillis) throws InterruptedException {
    double whole = Contract.INITIAL_BACKOFF_MILLIS * Math.pow(Contract.BACKOFF_MULTIPLIER, attempt - 1);
    Thread.sleep((long) (ThreadLocalRandom.current().nextDouble() * Math.min(longestMillis, whole)));
  }
}
