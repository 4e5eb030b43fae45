/** What a load needs to know of an answer. */
export interface Answer {
  readonly status: number;
  /** "" when there is none. */
  readonly eventId: string;
  readonly hasRetryAfter: boolean;
  /** The server closes the connection after it. */
  readonly closes: boolean;
}

const HEAD_END = "\r\n\r\n";

/**
 * Reads answers of a kept-alive connection on which one request at a time is under way. It knows what Aisle and the
 * servers it is compared with send, which is a content length; anything else throws.
 */
export class AnswerReader {
  private held = "";

  /** Takes what has come, in latin1; gives the answer when that was its end. */
  take(text: string): Answer | undefined {
    const all = this.held === "" ? text : this.held + text;
    const end = all.indexOf(HEAD_END);
    if (end === -1) return this.hold(all);
    const head = all.slice(0, end + 2).toLowerCase();
    const length = headerOf(head, "content-length");
    if (length === undefined) throw new Error("an answer without a content length cannot be read");
    const missing = end + HEAD_END.length + Number(length) - all.length;
    if (missing > 0) return this.hold(all);
    if (missing < 0) throw new Error("more than one answer came for a request");
    this.held = "";
    return {
      status: Number(head.slice(9, 12)),
      eventId: headerOf(head, "x-service-event-id") ?? "",
      hasRetryAfter: headerOf(head, "retry-after") !== undefined,
      closes: headerOf(head, "connection") === "close",
    };
  }

  private hold(all: string): undefined {
    this.held = all;
  }
}

/** `head` is in lower case, as event ids are. */
function headerOf(head: string, name: string): string | undefined {
  const at = head.indexOf(`\r\n${name}:`);
  if (at === -1) return undefined;
  const start = at + name.length + 3;
  return head.slice(start, head.indexOf("\r\n", start)).trim();
}
