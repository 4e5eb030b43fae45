package aisle;

import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Function;

/** Streams that go on after a lost connection. */
public final class Watch {
  /** The longest pause between two connections. */
  private static final long LONGEST_MILLIS = 10_000;

  private Watch() {}

  /**
   * Gives the messages of a stream to {@code consumer}, and opens the stream again when the server goes away, after the last
   * message received. {@code open} makes the call that continues after a token, empty at first; {@code tokenOf} reads the
   * token of a message. It ends when its thread is interrupted or {@code consumer} throws, and with an error that is no lost
   * connection.
   */
  public static <M> void run(
      Function<String, Iterator<M>> open, Function<M, String> tokenOf, String token, Consumer<M> consumer)
      throws InterruptedException {
    String after = token;
    for (int attempt = 1; ; attempt++) {
      // Leaving the loop cancels the call.
      var context = io.grpc.Context.current().withCancellation();
      var outer = context.attach();
      try {
        for (Iterator<M> messages = open.apply(after); hasNext(messages); ) {
          M message = messages.next();
          String next = tokenOf.apply(message);
          if (!next.isEmpty()) after = next;
          attempt = 1;
          consumer.accept(message);
        }
      } finally {
        context.detach(outer);
        context.cancel(null);
      }
      if (Thread.interrupted()) throw new InterruptedException();
      Backoff.pause(attempt, LONGEST_MILLIS);
    }
  }

  private static boolean hasNext(Iterator<?> messages) {
    try {
      return messages.hasNext();
    } catch (io.grpc.StatusRuntimeException error) {
      if (Backoff.isUnavailable(error)) return false;
      throw error;
    }
  }
}
