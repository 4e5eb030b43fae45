package aisle;

import aisle.v1.Event;
import aisle.v1.EventServiceGrpc;
import aisle.v1.RecordEventsRequest;
import aisle.v1.RecordEventsResponse;
import aisle.v1.RefusedItem;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** Records many events in batches. A call that finds the server unavailable is repeated; the keys store each event once. */
public final class RecordAll {
  /** Events in a message; the server takes at most 1,000. */
  private static final int BATCH_SIZE = 500;

  /** Messages in a call; a call is what is repeated. */
  private static final int BATCHES_PER_CALL = 20;

  private RecordAll() {}

  /**
   * What became of the events.
   *
   * @param accepted events stored
   * @param deduplicated events whose key was known
   * @param refused events not stored, with their position among all events; at most 1,000 of each call
   * @param refusedTotal number of all events not stored
   */
  public record Totals(long accepted, long deduplicated, List<RefusedItem> refused, long refusedTotal) {}

  /** Records events under random keys. */
  public static Totals of(Aisle aisle, String appId, Iterable<Event> events) throws InterruptedException {
    return of(aisle, appId, events, event -> UUID.randomUUID().toString());
  }

  /** Records events; {@code keyOf} gives the key under which one is stored once, for example its order id. */
  public static Totals of(Aisle aisle, String appId, Iterable<Event> events, Function<Event, String> keyOf)
      throws InterruptedException {
    long accepted = 0;
    long deduplicated = 0;
    long refusedTotal = 0;
    int sent = 0;
    var refused = new ArrayList<RefusedItem>();
    var remaining = events.iterator();
    while (remaining.hasNext()) {
      List<RecordEventsRequest> batches = call(remaining, appId, keyOf);
      RecordEventsResponse answer = record(aisle, batches);
      accepted += answer.getAccepted();
      deduplicated += answer.getDeduplicated();
      refusedTotal += answer.getRefusedTotal();
      for (RefusedItem item : answer.getRefusedList())
        refused.add(item.toBuilder().setIndex(item.getIndex() + sent).build());
      for (var batch : batches) sent += batch.getEventsCount();
    }
    return new Totals(accepted, deduplicated, refused, refusedTotal);
  }

  private static List<RecordEventsRequest> call(
      Iterator<Event> events, String appId, Function<Event, String> keyOf) {
    var batches = new ArrayList<RecordEventsRequest>();
    while (batches.size() < BATCHES_PER_CALL && events.hasNext()) {
      var batch = RecordEventsRequest.newBuilder().setAppId(appId);
      while (batch.getEventsCount() < BATCH_SIZE && events.hasNext()) {
        Event event = events.next();
        batch.addEvents(event).addIdempotencyKeys(keyOf.apply(event));
      }
      batches.add(batch.build());
    }
    return batches;
  }

  private static RecordEventsResponse record(Aisle aisle, List<RecordEventsRequest> batches)
      throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      var answer = new CompletableFuture<RecordEventsResponse>();
      var stream = EventServiceGrpc.newStub(aisle.channel()).recordEvents(new FutureObserver(answer));
      batches.forEach(stream::onNext);
      stream.onCompleted();
      try {
        return answer.get();
      } catch (ExecutionException failed) {
        Throwable cause = failed.getCause();
        if (!Backoff.isUnavailable(cause) || attempt == Contract.MAX_ATTEMPTS)
          throw Status.fromThrowable(cause).asRuntimeException(Status.trailersFromThrowable(cause));
      }
      Backoff.pause(attempt, Contract.MAX_BACKOFF_MILLIS);
    }
  }

  private record FutureObserver(CompletableFuture<RecordEventsResponse> answer)
      implements StreamObserver<RecordEventsResponse> {
    @Override
    public void onNext(RecordEventsResponse response) {
      answer.complete(response);
    }

    @Override
    public void onError(Throwable error) {
      answer.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      answer.completeExceptionally(Status.INTERNAL.withDescription("no answer").asRuntimeException());
    }
  }
}
