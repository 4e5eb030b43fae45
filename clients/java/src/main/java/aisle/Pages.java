package aisle;

import com.google.protobuf.Message;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** Lists with pages. */
public final class Pages {
  private Pages() {}

  /**
   * The items of a list, page by page as they are consumed:
   * {@code Pages.of(aisle.events()::listEvents, request, ListEventsResponse::getEventsList)}.
   */
  public static <Q extends Message, A extends Message, T> Iterable<T> of(
      Function<Q, A> list, Q request, Function<A, List<T>> itemsOf) {
    return () -> new Items<>(list, request, itemsOf);
  }

  private static final class Items<Q extends Message, A extends Message, T> implements Iterator<T> {
    private final Function<Q, A> list;
    private final Function<A, List<T>> itemsOf;
    private Q next;
    private Iterator<T> items = List.<T>of().iterator();

    Items(Function<Q, A> list, Q request, Function<A, List<T>> itemsOf) {
      this.list = list;
      this.next = request;
      this.itemsOf = itemsOf;
    }

    @Override
    public boolean hasNext() {
      while (!items.hasNext() && next != null) {
        A page = list.apply(next);
        items = itemsOf.apply(page).iterator();
        next = following(next, text(page, "next_page_token"));
      }
      return items.hasNext();
    }

    @Override
    public T next() {
      if (!hasNext()) throw new NoSuchElementException();
      return items.next();
    }
  }

  private static <Q extends Message> Q following(Q request, String token) {
    // Some lists give a token at their end too, for what comes later: the one that was sent.
    if (token.isEmpty() || token.equals(text(request, "page_token"))) return null;
    var field = request.getDescriptorForType().findFieldByName("page_token");
    @SuppressWarnings("unchecked") // a builder of Q builds a Q
    Q next = (Q) request.toBuilder().setField(field, token).build();
    return next;
  }

  private static String text(Message message, String field) {
    return (String) message.getField(message.getDescriptorForType().findFieldByName(field));
  }
}
