/**
 * Every list is answered by `readPage`. A page ends after the number of items asked for, or before it reaches
 * `PAGE_BYTES`. Its token is there only while more items follow (AIP-158).
 */
import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import { TOKEN_BYTES, tokensOf } from "./tokens.js";

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** One page with its token. gRPC clients take answers of 4 MiB by default. */
export const PAGE_BYTES = 3 * 2 ** 20;
const ITEMS_BYTES = PAGE_BYTES - TOKEN_BYTES;
/** Tag and length of an item. */
const ITEM_OVERHEAD = 6;

/** Items of the first read of a page; their sizes say how many the next one takes. */
const FIRST_READ = DEFAULT_PAGE + 1;
/** Items of a read of a filtered list. */
const FILTERED_READ = 500;
/** Items that a filtered list reads before it answers with a token for the rest. */
const MAX_LOOKED_AT = 20_000;

export interface PagedRequest extends Message {
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface PagedList<T, S extends DescMessage> {
  /** The type of an item in the answer. */
  readonly schema: S;
  /** Up to `limit` items that come after the one with the key `after`; "" starts at the beginning. */
  readonly read: (after: string, limit: number) => Promise<readonly T[]> | readonly T[];
  /** Never "". */
  readonly keyOf: (item: T) => string;
  readonly message: (item: T) => MessageInitShape<S> | Promise<MessageInitShape<S>>;
  /** Leaves out other items. */
  readonly matches?: ((item: T) => boolean) | undefined;
}

export interface Page<S extends DescMessage> {
  readonly items: MessageShape<S>[];
  /** "" at the end. */
  readonly nextPageToken: string;
}

/**
 * Reads the page that a request asks for. Rejects with InvalidArgument for a page token of another method, or of a request
 * that differs in more than its page.
 */
export async function readPage<T, S extends DescMessage>(
  method: DescMethod,
  request: PagedRequest,
  list: PagedList<T, S>,
): Promise<Page<S>> {
  const size = pageSize(request.pageSize);
  const first: PagedRequest = { ...request, pageSize: 0, pageToken: "" };
  const tokens = tokensOf("page_token", method, first);
  let after = request.pageToken === "" ? "" : tokens.open(request.pageToken);
  const items: MessageShape<S>[] = [];
  const rest = () => ({ items, nextPageToken: tokens.seal(after) });
  let bytes = 0;
  for (let lookedAt = 0; ; ) {
    const limit = list.matches === undefined ? nextRead(items.length, size, bytes) : FILTERED_READ;
    const found = await list.read(after, limit);
    for (const item of found) {
      if (list.matches?.(item) !== false) {
        if (items.length === size) return rest();
        const message = create(list.schema, await list.message(item));
        const cost = toBinary(list.schema, message).byteLength + ITEM_OVERHEAD;
        if (items.length > 0 && bytes + cost > ITEMS_BYTES) return rest();
        items.push(message);
        bytes += cost;
      }
      after = list.keyOf(item);
    }
    if (found.length < limit) return { items, nextPageToken: "" };
    lookedAt += found.length;
    if (list.matches !== undefined && lookedAt >= MAX_LOOKED_AT) return rest();
  }
}

/** Lists items that are in memory in order of their keys, descending with `newestFirst`. */
export function inMemory<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  newestFirst = false,
): Pick<PagedList<T, DescMessage>, "read" | "keyOf"> {
  const isBefore = (key: string, other: string) => (newestFirst ? key > other : key < other);
  const sorted = [...items].sort((a, b) => (isBefore(keyOf(a), keyOf(b)) ? -1 : 1));
  return {
    read: (after, limit) => sorted.filter((item) => after === "" || isBefore(after, keyOf(item))).slice(0, limit),
    keyOf,
  };
}

/** A key that sorts as the number does, and by `id` among equal numbers. */
export function numberKey(number: number, id = ""): string {
  return `${String(number).padStart(16, "0")}:${id}`;
}

/** The rest of a page and one item more, as far as the page may have room for it. */
function nextRead(count: number, size: number, bytes: number): number {
  const left = size + 1 - count;
  if (count === 0) return Math.min(left, FIRST_READ);
  return Math.min(left, Math.floor(((ITEMS_BYTES - bytes) * count) / bytes) + 1);
}

function pageSize(asked: number): number {
  if (asked < 0) throw new InvalidArgument("page_size", "invalid", `0 to ${MAX_PAGE}`);
  return asked === 0 ? DEFAULT_PAGE : Math.min(asked, MAX_PAGE);
}
