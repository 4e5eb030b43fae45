import { Code, type ConnectError } from "@connectrpc/connect";
import { refusal } from "../errors/error-info.js";

/**
 * A request body whose peer must keep sending. The whole body must come within `ms`. With `perChunk` each chunk must come
 * within `ms` after it is asked for: a long import may last, and the handler's own time does not count. A late body fails
 * with DEADLINE_EXCEEDED.
 */
export function timedBody(
  body: AsyncIterable<Uint8Array>,
  ms: number,
  perChunk: boolean,
): AsyncIterable<Uint8Array<ArrayBufferLike>> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]();
      let late = false;
      let fail: ((error: ConnectError) => void) | undefined;
      const timer = setTimeout(() => {
        late = !perChunk;
        fail?.(tooLate());
      }, ms).unref();
      return {
        next() {
          if (late) return Promise.reject(tooLate());
          if (perChunk) timer.refresh();
          return new Promise((resolve, reject) => {
            fail = reject;
            chunks.next().then(
              (chunk) => {
                fail = undefined;
                if (chunk.done === true) clearTimeout(timer);
                resolve(chunk);
              },
              (error: unknown) => {
                fail = undefined;
                clearTimeout(timer);
                reject(error);
              },
            );
          });
        },
        return(value) {
          clearTimeout(timer);
          return chunks.return?.(value) ?? Promise.resolve({ done: true, value });
        },
        throw(error) {
          clearTimeout(timer);
          return chunks.throw?.(error) ?? Promise.reject(error);
        },
      };
    },
  };
}

export function tooLate(): ConnectError {
  return refusal("the request body did not arrive in time", Code.DeadlineExceeded, "BODY_TIMEOUT");
}
