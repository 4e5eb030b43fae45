package aisle;

import aisle.v1.EventProduct;
import java.util.List;
import java.util.stream.Stream;

/** The products of an event. */
public final class Products {
  private Products() {}

  /** Products that are named by their ids. */
  public static List<EventProduct> of(String... ids) {
    return Stream.of(ids).map(id -> EventProduct.newBuilder().setProductId(id).build()).toList();
  }
}
