import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { Feed, FeedReject } from "../../../domain/feed.js";
import type { CatalogService } from "../../../gen/aisle/v1/catalog_service_pb.js";
import type { Product } from "../../../gen/aisle/v1/product_pb.js";
import { createColumnPlan } from "../columns.js";
import { createFeedReader, FEED_FORMATS } from "../feed-reader.js";
import { FeedFailure } from "../fetch-feed.js";
import { PRODUCT_FIELDS, type ProductField, readProduct } from "../product-row.js";
import { createRepeatedIds, type RepeatedIds } from "../repeated-ids.js";
import { BadLine, type Entry, isBad, textId } from "../rows.js";
import { unpack } from "../unpack.js";

export interface ImportedFeed {
  readonly accepted: number;
  readonly rejected: number;
  readonly hidden: number;
  /** Why a full feed hid nothing, and how many entries repeat an id; "" otherwise. */
  readonly notice: string;
  readonly rejects: readonly FeedReject[];
}

/** Entries in one message of a bulk call. */
const BATCH = 500;
const KEPT_REJECTS = 20;
/** Maximum bytes after decompression: a small feed must not occupy its process for a day. */
const MAX_BYTES = 16 * 2 ** 30;

interface Batch {
  readonly appId: string;
  readonly products: Product[];
  readonly listedIds: string[];
  readonly incomplete: boolean;
  readonly fromFeed: boolean;
  readonly force: boolean;
}

/**
 * Reads a feed as it comes and writes its products through the catalogue's service; a full one as `ReplaceCatalog`.
 * Memory is that of one piece of the feed and one batch. Throws what reading throws (FeedFailure, BrokenFeed,
 * UnusableFile), and the ConnectError of a call: then nothing was hidden.
 */
export async function importFeed(
  appId: string,
  feed: Pick<Feed, "format" | "currency" | "full" | "forced">,
  chunks: AsyncIterable<Uint8Array>,
  catalog: Pick<Client<typeof CatalogService>, "upsertProducts" | "replaceCatalog">,
): Promise<ImportedFeed> {
  const rejects = new Rejects();
  const batching = createBatching(appId, feed, rejects);
  let broken: unknown;
  async function* stream(): AsyncGenerator<Batch> {
    try {
      yield* batchesOf(feed.format, chunks, batching);
    } catch (error) {
      broken = error;
      throw new ConnectError("the feed broke off", Code.Canceled);
    }
  }
  const send = async () => {
    if (feed.full) return catalog.replaceCatalog(stream());
    return { ...(await catalog.upsertProducts(stream())), hidden: 0n, unlisted: 0n };
  };
  const { repeated } = batching;
  const answer = await send().catch((error) => Promise.reject(broken ?? error));
  for (const { index, field, reason } of answer.refused) {
    rejects.add(batching.positions[Number(index)] ?? 0, undefined, `${field}: ${reason}`);
  }
  return {
    accepted: Number(answer.accepted),
    rejected: rejects.count + Number(answer.refusedTotal) - answer.refused.length,
    hidden: Number(answer.hidden),
    notice: [
      ...(answer.unlisted > answer.hidden
        ? [
            `${rejects.unknown} entries had no readable id, so none of the ${answer.unlisted} unlisted products was hidden`,
          ]
        : []),
      ...(repeated.count > 0
        ? [`${repeated.count} entries repeat an id, the first is entry ${repeated.first}; the last one of an id counts`]
        : []),
    ].join("; "),
    rejects: rejects.kept,
  };
}

class Rejects {
  /** The first of them. */
  readonly kept: FeedReject[] = [];
  count = 0;
  /** Those without an id. */
  unknown = 0;

  add(position: number, id: string | undefined, reason: string): void {
    this.count += 1;
    if (this.kept.length < KEPT_REJECTS) this.kept.push({ position, id: id ?? "", reason });
  }
}

interface Batching {
  readonly repeated: RepeatedIds;
  /** Positions of the products in the feed, for rejections: the service reports the first 1,000 by number. */
  readonly positions: readonly number[];
  take(entry: Entry<ProductField>): void;
  isFull(): boolean;
  /** What was taken since the last batch. */
  next(last: boolean): Batch;
}

/** Gathers the products of a feed, and the ids of entries that are no products. */
function createBatching(
  appId: string,
  { currency, forced }: Pick<Feed, "currency" | "forced">,
  rejects: Rejects,
): Batching {
  const positions: number[] = [];
  let products: Product[] = [];
  let listedIds: string[] = [];
  const repeated = createRepeatedIds();
  return {
    positions,
    repeated,
    take(entry) {
      if (isBad(entry)) {
        rejects.add(entry.line, entry.id, entry.reason);
        if (entry.id === undefined) rejects.unknown += 1;
        else listedIds.push(entry.id);
        return;
      }
      try {
        const { product } = readProduct(entry, currency);
        repeated.note(product.productId, entry.line);
        products.push(product);
        positions.push(entry.line);
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        const id = textId(entry);
        rejects.add(entry.line, id, error.message);
        if (id !== undefined) listedIds.push(id);
      }
    },
    isFull: () => products.length + listedIds.length >= BATCH,
    next(last) {
      const incomplete = last && rejects.unknown > 0;
      const batch = { appId, products, listedIds, incomplete, last, fromFeed: true, force: forced };
      products = [];
      listedIds = [];
      return batch;
    },
  };
}

/** The entries of a feed in batches. Throws FeedFailure for a feed that is too large. */
async function* batchesOf(
  formatName: Feed["format"],
  chunks: AsyncIterable<Uint8Array>,
  batching: Batching,
): AsyncGenerator<Batch> {
  const format = FEED_FORMATS.find((known) => known === formatName);
  const plan = createColumnPlan(PRODUCT_FIELDS, []);
  const reader = createFeedReader({ plan, format, takesXml: true, onHeader: () => {} });
  let bytes = 0;
  for await (const chunk of unpack(chunks, "The feed")) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new FeedFailure("too_large");
    for (const entry of reader.push(chunk)) {
      batching.take(entry);
      if (batching.isFull()) yield batching.next(false);
    }
  }
  for (const entry of reader.end()) {
    batching.take(entry);
    if (batching.isFull()) yield batching.next(false);
  }
  yield batching.next(true);
}
