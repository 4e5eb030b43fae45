import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReplaceCatalogRequestSchema, ReplaceCatalogResponse } from "../../gen/aisle/v1/catalog_service_pb.js";

/**
 * Reports the ids that a full feed lists to the server, in a stream beside the calls that write. Holds the ids of one
 * piece of the file.
 */
export interface Listing {
  /** An entry of the feed: its id, "" when it has none, undefined when it cannot be read. */
  add(id: string | undefined): void;
  /** Sends the ids added so far. @throws the call's error */
  drain(): Promise<void>;
  /** The feed has ended and everything it lists is written: hides the rest. @throws the call's error */
  end(): Promise<ListingOutcome>;
  /** The feed broke off: hides nothing. */
  abort(): void;
}

export interface ListingOutcome {
  readonly hidden: number;
  /** Shown products that the feed does not list. */
  readonly unlisted: number;
  /** Entries that could not be read. */
  readonly unknown: number;
}

type Batch = MessageInitShape<typeof ReplaceCatalogRequestSchema>;
type ReplaceCatalog = (
  batches: AsyncIterable<Batch>,
  options: { signal: AbortSignal },
) => Promise<ReplaceCatalogResponse>;

const BATCH_IDS = 5000;

export function createListing(replaceCatalog: ReplaceCatalog, appId: string, force: boolean): Listing {
  const ending = new AbortController();
  let unknown = 0;
  let ids: string[] = [];
  const waiting: Batch[] = [];
  let wake = () => {};
  let taken = () => {};

  async function* batches(): AsyncGenerator<Batch> {
    yield { appId, force };
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        if (next.last) return;
      } else {
        taken();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  const call = replaceCatalog(batches(), { signal: ending.signal });
  call.catch(() => {}); // reported by the next drain or end

  /** Resolves when nothing is waiting; rejects when the call has failed. */
  const settled = () => {
    const empty = new Promise<void>((resolve) => {
      taken = resolve;
    });
    wake();
    return Promise.race([empty, call]);
  };

  return {
    add(id) {
      if (id === undefined) unknown += 1;
      else if (id !== "") ids.push(id);
    },
    async drain() {
      if (ids.length === 0) return;
      for (let from = 0; from < ids.length; from += BATCH_IDS) {
        waiting.push({ listedIds: ids.slice(from, from + BATCH_IDS) });
      }
      ids = [];
      await settled();
    },
    async end() {
      waiting.push({ incomplete: unknown > 0, last: true });
      wake();
      const { hidden, unlisted } = await call;
      return { hidden: Number(hidden), unlisted: Number(unlisted), unknown };
    },
    abort: () => ending.abort(),
  };
}
