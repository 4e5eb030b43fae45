/** Pictures, prices and the choice of products, for all pages. */
import { useMemo, useState } from "preact/hooks";
import type { Money } from "../../src/gen/aisle/v1/money_pb.js";
import type { Product } from "../../src/gen/aisle/v1/product_pb.js";
import { useSurroundings } from "./context.js";
import { pagesOf } from "./pages-of.js";
import { isOnOneOf, pictureHosts } from "./pictures.js";
import { type Load, useLoad } from "./use-load.js";

/** The picture, or a placeholder of the same size when it is not on one of `hosts`. Titles stand beside it, so that it is decoration. */
export function Picture({ url, hosts }: { readonly url: string; readonly hosts: ReadonlySet<string> }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken || !isOnOneOf(hosts, url)) return <span class="picture" aria-hidden="true" />;
  return <img class="picture" src={url} alt="" loading="lazy" onError={() => setIsBroken(true)} />;
}

export function priceText(price: Money | undefined): string {
  return price === undefined || price.amount === "" ? "" : `${price.amount} ${price.currency}`.trim();
}

/** Products of an app to choose from, with their titles. */
export interface Shelf {
  readonly products: readonly Product[];
  /** Where pictures are loaded from. */
  readonly pictureHosts: ReadonlySet<string>;
  /** The title, or the id of a product that is not among them. */
  titleOf(productId: string): string;
  has(productId: string): boolean;
}

const MOST_CHOICES = 1000;

/** The first products of the catalogue; a product beyond them is named by its id. */
export function useShelf(appId: string): Load<Shelf> {
  const { clients } = useSurroundings();
  const load = useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.catalog.listProducts({ appId, pageSize: MOST_CHOICES, pageToken }, { signal });
        return { items: page.products, nextPageToken: page.nextPageToken };
      }, MOST_CHOICES),
    [appId],
  );
  const shelf = useMemo(() => {
    if (load.value === undefined) return undefined;
    const products = load.value.filter(({ hidden }) => !hidden);
    const titles = new Map(products.map(({ productId, title }) => [productId, title || productId]));
    const hosts = pictureHosts(load.value);
    return {
      products,
      pictureHosts: hosts,
      titleOf: (id: string) => titles.get(id) ?? id,
      has: (id: string) => titles.has(id),
    };
  }, [load.value]);
  return { ...load, value: shelf };
}

/** Chooses products by id, or by title from a list that the browser offers. */
export function ProductChoice(props: {
  readonly id: string;
  readonly label: string;
  readonly shelf: Shelf;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly fault?: string | undefined;
  /** One at most. */
  readonly single?: boolean;
}) {
  const { id, label, shelf, chosen, onChange, fault, single = false } = props;
  const [text, setText] = useState("");
  const add = (typed: string) => {
    const productId = typed.trim();
    setText("");
    if (productId === "") return;
    onChange(single ? [productId] : [...chosen.filter((other) => other !== productId), productId]);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {chosen.length > 0 && (
        <ul class="chips">
          {chosen.map((productId) => (
            <li key={productId}>
              {shelf.titleOf(productId)}
              <button
                type="button"
                aria-label={`Remove ${shelf.titleOf(productId)} from: ${label}`}
                onClick={() => onChange(chosen.filter((other) => other !== productId))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        list={`${id}-choices`}
        value={text}
        autocomplete="off"
        placeholder="Product id or title"
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          if (shelf.has(typed)) add(typed);
          else setText(typed);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add(idFor(shelf, text));
        }}
        onBlur={() => add(idFor(shelf, text))}
      />
      <small id={`${id}-fault`} class="fault">
        {fault}
      </small>
      <datalist id={`${id}-choices`}>
        {shelf.products.map(({ productId, title }) => (
          <option key={productId} value={productId}>
            {title}
          </option>
        ))}
      </datalist>
    </div>
  );
}

/** The product whose title is what was typed, else the text itself as an id. */
function idFor(shelf: Shelf, text: string): string {
  const wanted = text.trim().toLowerCase();
  return shelf.products.find(({ title }) => wanted !== "" && title.toLowerCase() === wanted)?.productId ?? text;
}
