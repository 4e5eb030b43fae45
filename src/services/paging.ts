import { InvalidArgument } from "../domain/errors.js";

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** The size of a page: 100 by default, at most 1,000. */
export function pageSize(asked: number): number {
  return asked === 0 ? DEFAULT_PAGE : Math.min(asked, MAX_PAGE);
}

/** A page token that continues after `lastId`; "" at the end. */
export function pageToken(lastId: string): string {
  return lastId === "" ? "" : Buffer.from(lastId, "utf8").toString("base64url");
}

/** The id after which a token continues, "" for the first page. Throws InvalidArgument for a token that is not ours. */
export function readPageToken(token: string): string {
  if (token === "") return "";
  const id = Buffer.from(token, "base64url").toString("utf8");
  if (pageToken(id) !== token)
    throw new InvalidArgument("page_token", "invalid", "the next_page_token of an earlier answer");
  return id;
}

/** The page and the next token, from up to `size + 1` items. */
export function page<T>(found: readonly T[], size: number, idOf: (thing: T) => string): [readonly T[], string] {
  if (found.length <= size) return [found, ""];
  const kept = found.slice(0, size);
  const last = kept.at(-1);
  return [kept, last === undefined ? "" : pageToken(idOf(last))];
}
