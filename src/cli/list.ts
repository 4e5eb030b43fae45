import { type Clients, type ServerOptions, withClients } from "./client.js";
import type { CommandDeps } from "./deps.js";
import { type Column, writeJson, writeLine, writeTable } from "./output.js";

interface Page {
  readonly nextPageToken: string;
}

/** Items of a paged list, to its end or until there are `most`. `read` gets a page token. */
export async function allPages<P extends Page, Item>(
  read: (pageToken: string) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const found: Item[] = [];
  let pageToken = "";
  do {
    const page = await read(pageToken);
    found.push(...itemsOf(page));
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && found.length < most);
  return found.slice(0, most);
}

/** How a list command reads its items and shows them. */
interface List<P extends Page, Item> {
  readonly read: (clients: Clients, pageToken: string) => Promise<P>;
  readonly items: (page: P) => readonly Item[];
  readonly most?: number;
  readonly json: (item: Item) => unknown;
  /** With --json one document follows the other, without an array around them. */
  readonly inDocuments?: boolean;
  readonly columns: readonly Column<Item>[];
  /** The line for an empty list, in place of the titles alone. */
  readonly none?: string;
}

/** Prints a whole list: as JSON with --json, otherwise as a table. */
export async function printList<P extends Page, Item>(
  options: ServerOptions & { readonly json?: boolean },
  deps: CommandDeps,
  { read, items, most, json, inDocuments = false, columns, none }: List<P, Item>,
): Promise<void> {
  const found = await withClients(options, deps, (clients) =>
    allPages((pageToken) => read(clients, pageToken), items, most),
  );
  if (options.json && inDocuments) for (const item of found) writeJson(deps.stdout, json(item));
  else if (options.json) writeJson(deps.stdout, found.map(json));
  else if (found.length === 0 && none !== undefined) writeLine(deps.stdout, none);
  else writeTable(deps.stdout, columns, found);
}
