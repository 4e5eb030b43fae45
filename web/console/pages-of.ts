/** The items of one page, and the token of the next page, "" at the end. */
interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string;
}

/** Reads a list page by page, to its end or until there are `most` items. */
export async function pagesOf<Item>(
  read: (pageToken: string) => Promise<ListPage<Item>>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const found: Item[] = [];
  let pageToken = "";
  do {
    const { items, nextPageToken } = await read(pageToken);
    found.push(...items);
    pageToken = nextPageToken;
  } while (pageToken !== "" && found.length < most);
  return found.slice(0, most);
}
