import { useEffect, useMemo, useState } from "preact/hooks";
import { Availability, type Product, ProductOrigin } from "../../../src/gen/aisle/v1/product_pb.js";
import { useSurroundings } from "../context.js";
import { type FrameEdits, useFrameEdits, useFrames } from "../frame-edits.js";
import { CopyButton, Empty, ErrorNote, Field, Status } from "../parts.js";
import { pictureHosts } from "../pictures.js";
import { EditStatus, PinAndBan } from "../pin-and-ban.js";
import { PinnedAndBanned } from "../pinned-and-banned.js";
import { type Found, searchProducts } from "../product-search.js";
import { Picture, priceText } from "../products.js";
import { useAction, useLoad } from "../use-load.js";

const ENOUGH = 60;
const AT_ONCE = 500;
/** Unknown ids that the note names. */
const NAMED = 20;

/** The catalogue, searched by words: at first by `words`, "" for none. */
export function ProductsPage({ appId, words }: { readonly appId: string; readonly words: string }) {
  const { clients } = useSurroundings();
  const [query, setQuery] = useState(words);
  const [asked, setAsked] = useState(words);
  const [more, setMore] = useState<Found>();
  const read = (signal?: AbortSignal) => (pageToken: string) =>
    clients.catalog.listProducts({ appId, pageSize: AT_ONCE, pageToken }, signal === undefined ? {} : { signal });
  const search = useLoad((signal) => searchProducts(read(signal), asked, ENOUGH), [appId, asked]);
  const goOn = useAction(async (from: Found) => setMore(await searchProducts(read(), asked, ENOUGH, from)));
  useEffect(() => setMore(undefined), [search.value]);
  const found = more ?? search.value;
  const hosts = useMemo(() => pictureHosts(found?.products ?? []), [found]);
  const frames = useFrames(appId);
  const edits = useFrameEdits(appId, frames);
  return (
    <>
      <search>
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            setAsked(query.trim());
          }}
        >
          <Field id="query" label="Search" hint="Words of the title, brand, category, tag, id or SKU.">
            {(attributes) => (
              <input
                {...attributes}
                type="search"
                value={query}
                onInput={(event) => setQuery(event.currentTarget.value)}
              />
            )}
          </Field>
          <button type="submit" class="primary">
            Search
          </button>
        </form>
      </search>
      <ErrorNote error={search.error ?? goOn.error ?? frames.error} />
      <UnknownNote appId={appId} />
      <PinnedAndBanned appId={appId} edits={edits} />
      <EditStatus edits={edits} />
      <Status>
        {search.isLoading || goOn.isRunning
          ? "Looking …"
          : found &&
            `${found.products.length} found among ${found.looked}${found.nextPageToken === "" ? "" : " so far"}`}
      </Status>
      {found?.products.length === 0 && found.nextPageToken === "" && <Empty>No product found.</Empty>}
      <ul class="products card" hidden={!found?.products.length}>
        {found?.products.map((product) => (
          <ProductRow key={product.productId} product={product} hosts={hosts} edits={edits} />
        ))}
      </ul>
      {found && found.nextPageToken !== "" && (
        <button type="button" disabled={goOn.isRunning} onClick={() => goOn.run(found)}>
          Search further
        </button>
      )}
    </>
  );
}

/** Warns of products in events that the catalogue does not know; shows nothing when it knows all. */
function UnknownNote({ appId }: { readonly appId: string }) {
  const { clients } = useSurroundings();
  const unknown = useLoad(
    (signal) => clients.catalog.listUnknownProducts({ appId, pageSize: NAMED }, { signal }),
    [appId],
  );
  if (!unknown.value?.totalSize) return null;
  const { unknownProducts, totalSize, unknownEventCount: eventsUnknown, readEventCount: eventsRead } = unknown.value;
  return (
    <details class="note">
      <summary>
        {eventsUnknown} of the newest {eventsRead} events name products that the catalogue does not know: {totalSize}{" "}
        {totalSize === 1 ? "id" : "ids"}
      </summary>
      <p>Such events change no list. Send the id, SKU or item_group_id that the feed has.</p>
      <ul>
        {unknownProducts.map(({ productId, eventCount: events, suggestedProductId: meantProductId }) => (
          <li key={productId}>
            <code>{productId}</code> in {events} {events === 1 ? "event" : "events"}
            {meantProductId !== "" && (
              <>
                , probably <code>{meantProductId}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function ProductRow(props: {
  readonly product: Product;
  readonly hosts: ReadonlySet<string>;
  readonly edits: FrameEdits;
}) {
  const { product, hosts, edits } = props;
  const { productId, title, categories, brand, url } = product;
  return (
    <li>
      <Picture url={product.imageUrl} hosts={hosts} />
      <div>
        <h2 class="name">{title || productId}</h2>
        <p class="muted">{[priceText(product.price), brand].filter((text) => text !== "").join(" · ")}</p>
        <p class="muted">{categories.map(({ name, categoryId }) => name || categoryId).join(" › ")}</p>
        <p>
          <code>{productId}</code> <CopyButton text={productId} what={`the id of ${title || productId}`} />
        </p>
        <p>
          {product.availability === Availability.OUT_OF_STOCK && <span class="tag">out of stock</span>}
          {product.hidden && <span class="tag">hidden</span>}
          {product.origin === ProductOrigin.EVENT && <span class="tag">learned from events</span>}
          {product.notShown !== "" && <span class="fault"> Not shown: {product.notShown}</span>}
        </p>
        {url !== "" && (
          <a href={url} rel="noreferrer noopener" target="_blank">
            Product page<span class="hidden"> of {title || productId}, in a new tab</span>
          </a>
        )}
        <PinAndBan productId={productId} title={title || productId} edits={edits} />
      </div>
    </li>
  );
}
