import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ReplaceCatalogRequestSchema, ReplaceCatalogResponse } from "../../gen/aisle/v1/catalog_service_pb.js";

/** Tells the server what a full feed lists, in a stream beside the calls that write. Holds the ids of one piece of the file. */
export interface Listing {
  /** An entry of the feed: its id, "" when it has none, undefined when that cannot be told. */
  add(id: string | undefined): void;
  /** Sends what was added. @throws what the call threw */
  drain(): Promise<void>;
  /** The feed has ended and all that it lists is written: hides the rest. @throws what the call threw */
  end(): Promise<ListingOutcome>;
  /** The feed has not ended: nothing is hidden. */
  abort(): void;
}

export interface ListingOutcome {
  readonly hidden: number;
  /** Products that were shown and not listed. */
  readonly unlisted: number;
  /** Entries that could not be told apart. */
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
  call.catch(() => {}); // told by the next drain or end

  /** Resolves when nothing waits any more; rejects when the call has failed. */
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
