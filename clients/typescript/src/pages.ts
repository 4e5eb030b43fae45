import type { CallOptions } from "@connectrpc/connect";

interface Page {
  readonly nextPageToken: string;
}

/**
 * The items of a list, page by page as they are consumed:
 *
 *     for await (const event of pages(aisle.events.listEvents, { appId }, (page) => page.events)) …
 */
export async function* pages<Request extends { pageToken?: string }, Response extends Page, Item>(
  list: (request: Request, options?: CallOptions) => Promise<Response>,
  request: Request,
  itemsOf: (page: Response) => Iterable<Item>,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  let pageToken = request.pageToken ?? "";
  for (;;) {
    const page = await list({ ...request, pageToken }, options);
    yield* itemsOf(page);
    // Some lists give a token at their end too, for what comes later: the one that was sent.
    if (page.nextPageToken === "" || page.nextPageToken === pageToken) return;
    pageToken = page.nextPageToken;
  }
}
