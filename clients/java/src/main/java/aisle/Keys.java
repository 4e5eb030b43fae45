package aisle;

import com.google.protobuf.Message;
import java.util.UUID;

/** Keys that make a repeated call safe. */
final class Keys {
  private Keys() {}

  /** Fills an empty key, so that the server recognizes a further attempt. */
  static <T> T fill(T request) {
    if (!(request instanceof Message message)) return request;
    for (String name : Contract.KEY_FIELDS) {
      var field = message.getDescriptorForType().findFieldByName(name);
      if (field == null || !((String) message.getField(field)).isEmpty()) continue;
      @SuppressWarnings("unchecked") // a builder of T builds a T
      T filled = (T) message.toBuilder().setField(field, UUID.randomUUID().toString()).build();
      return filled;
    }
    return request;
  }
}
