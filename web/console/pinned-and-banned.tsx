import { useMemo } from "preact/hooks";
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import type { Product } from "../../src/gen/aisle/v1/product_pb.js";
import { useSurroundings } from "./context.js";
import type { FrameEdits } from "./frame-edits.js";
import { ErrorNote } from "./parts.js";
import { pictureHosts } from "./pictures.js";
import { decisionsAbout, released } from "./pins.js";
import { Picture } from "./products.js";
import { useLoad } from "./use-load.js";

/** All pinned and banned products of all frames, with pictures; shows nothing while there are none. */
export function PinnedAndBanned({ appId, edits }: { readonly appId: string; readonly edits: FrameEdits }) {
  const { clients } = useSurroundings();
  const { frames } = edits;
  const pinned = frames.flatMap(({ pinnedProductIds }) => pinnedProductIds);
  const banned = frames.flatMap(({ bannedProductIds }) => bannedProductIds);
  const productIds = [...new Set([...pinned, ...banned])].slice(0, MOST_PRODUCTS);
  const read = useLoad(
    async (signal) => {
      if (productIds.length === 0) return [];
      return (await clients.catalog.batchGetProducts({ appId, productIds }, { signal })).products;
    },
    [appId, productIds.join("\n")],
  );
  const products = new Map(read.value?.map((product) => [product.productId, product]));
  const hosts = useMemo(() => pictureHosts(read.value ?? []), [read.value]);
  if (productIds.length === 0) return null;
  return (
    <details class="card">
      <summary>
        Pinned and banned: {pinned.length} {pinned.length === 1 ? "pin" : "pins"}, {banned.length}{" "}
        {banned.length === 1 ? "ban" : "bans"}
      </summary>
      <ErrorNote error={read.error} />
      {frames.map((frame) => (
        <OfFrame key={frame.frameId} frame={frame} products={products} hosts={hosts} edits={edits} />
      ))}
    </details>
  );
}

/** As many as one call answers. */
const MOST_PRODUCTS = 1000;

function OfFrame(props: {
  readonly frame: FrameConfiguration;
  readonly products: ReadonlyMap<string, Product>;
  readonly hosts: ReadonlySet<string>;
  readonly edits: FrameEdits;
}) {
  const { frame, products, hosts, edits } = props;
  const productIds = [...frame.pinnedProductIds, ...frame.bannedProductIds];
  if (productIds.length === 0) return null;
  return (
    <section aria-label={`Pinned and banned in ${frame.frameId}`}>
      <h2 class="name">{frame.frameId}</h2>
      <ul class="products">
        {productIds.map((productId) => {
          const product = products.get(productId);
          const title = product?.title || productId;
          const text = decisionsAbout([frame], productId)[0]?.text ?? "";
          return (
            <li key={productId}>
              <Picture url={product?.imageUrl ?? ""} hosts={hosts} />
              <div>
                <h3>{title}</h3>
                <p class="muted">{text}</p>
                <button
                  type="button"
                  class="small"
                  disabled={edits.isRunning}
                  onClick={() =>
                    edits.change({ said: `${title} is no longer ${text}`, of: (each) => released(each, productId) }, [
                      frame.frameId,
                    ])
                  }
                >
                  Remove<span class="hidden"> {title}</span>
                </button>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
