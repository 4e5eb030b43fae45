import { InvalidArgument } from "../domain/errors.js";

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** The size of a page: 100 when none is asked for, never more than 1,000. */
export function pageSize(asked: number): number {
  return asked === 0 ? DEFAULT_PAGE : Math.min(asked, MAX_PAGE);
}

/** A token that goes on behind `lastId`; "" ends the list. */
export function pageToken(lastId: string): string {
  return lastId === "" ? "" : Buffer.from(lastId, "utf8").toString("base64url");
}

/** The id a token goes on behind, "" for the first page. Throws InvalidArgument for a token that was not given by us. */
export function readPageToken(token: string): string {
  if (token === "") return "";
  const id = Buffer.from(token, "base64url").toString("utf8");
  if (pageToken(id) !== token)
    throw new InvalidArgument("page_token", "invalid", "the next_page_token of an earlier answer");
  return id;
}

/** The page and the token of the next one, from up to `size + 1` things found. */
export function page<T>(found: readonly T[], size: number, idOf: (thing: T) => string): [readonly T[], string] {
  if (found.length <= size) return [found, ""];
  const kept = found.slice(0, size);
  const last = kept.at(-1);
  return [kept, last === undefined ? "" : pageToken(idOf(last))];
}
