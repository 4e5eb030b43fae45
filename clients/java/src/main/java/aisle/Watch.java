package aisle;

import com.google.protobuf.Message;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * The messages of a stream that is opened again when the server goes away, after the last message received:
 *
 * <pre>{@code
 * try (var messages = Watch.of(aisle.events()::watchEvents, request)) {
 *   for (var message : messages) …
 * }
 * }</pre>
 *
 * <p>Closing it ends the call. It ends when its thread is interrupted, and with an error that is no lost connection.
 */
public final class Watch<Q extends Message, M extends Message> implements Iterable<M>, Iterator<M>, AutoCloseable {
  /** The longest pause between two connections. */
  private static final long LONGEST_MILLIS = 10_000;

  private final Function<Q, Iterator<M>> open;
  private Q request;
  private Context.CancellableContext call;
  private Iterator<M> messages;
  private int attempt = 1;
  private boolean isClosed;

  private Watch(Function<Q, Iterator<M>> open, Q request) {
    this.open = open;
    this.request = request;
  }

  public static <Q extends Message, M extends Message> Watch<Q, M> of(Function<Q, Iterator<M>> open, Q request) {
    return new Watch<>(open, request);
  }

  @Override
  public Iterator<M> iterator() {
    return this;
  }

  @Override
  public boolean hasNext() {
    while (!isClosed) {
      try {
        if (messages == null) connect();
        if (messages.hasNext()) return true;
      } catch (StatusRuntimeException error) {
        if (!Backoff.isUnavailable(error)) throw error;
      }
      disconnect();
      try {
        Backoff.pause(attempt++, LONGEST_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        close();
      }
    }
    return false;
  }

  @Override
  public M next() {
    if (!hasNext()) throw new NoSuchElementException();
    M message = messages.next();
    attempt = 1;
    String token = (String) message.getField(message.getDescriptorForType().findFieldByName("resume_token"));
    if (token.isEmpty()) return message;
    var field = request.getDescriptorForType().findFieldByName("resume_token");
    @SuppressWarnings("unchecked") // a builder of Q builds a Q
    Q next = (Q) request.toBuilder().setField(field, token).build();
    request = next;
    return message;
  }

  @Override
  public void close() {
    isClosed = true;
    disconnect();
  }

  private void connect() {
    // The call ends with this context.
    call = Context.current().withCancellation();
    Context outer = call.attach();
    try {
      messages = open.apply(request);
    } finally {
      call.detach(outer);
    }
  }

  private void disconnect() {
    messages = null;
    if (call != null) call.cancel(null);
    call = null;
  }
}
