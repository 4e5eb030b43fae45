import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import { isSameProduct, type Product } from "../domain/product.js";
import type { Change, Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { AT_ONCE, checkProduct, type ProductDraft } from "./write-products.js";

/** A change of some fields of a product. */
export interface ProductUpdate {
  readonly productId: string;
  /** The fields that change. */
  readonly fields: Partial<Omit<ProductDraft, "productId">>;
  /** Single attributes that change, after `fields.attributes`; "" removes one. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Makes an unknown product. */
  readonly allowMissing: boolean;
}

export interface UpdatedProduct {
  readonly product: Product;
  readonly isNew: boolean;
}

/** Rejects with InvalidArgument that names the field, or with NotFound("product") or NotFound("app"). */
export type UpdateProduct = (appId: string, update: ProductUpdate, change?: Change<Product>) => Promise<Product>;

/**
 * Returns for each update the product, or the InvalidArgument or NotFound("product") of that update. `fromFeed` shows
 * products again that a full feed hid. Rejects with NotFound("app") and the store's own errors.
 */
export type UpdateProducts = (
  appId: string,
  updates: readonly ProductUpdate[],
  options: { readonly fromFeed: boolean },
) => Promise<readonly (UpdatedProduct | InvalidArgument | NotFound)[]>;

interface UpdateProductsDependencies {
  readonly unitOfWork: Pick<UnitOfWork, "run" | "runEach">;
  readonly now: Now;
}

export function createUpdateProduct({ unitOfWork, now }: UpdateProductsDependencies): UpdateProduct {
  return async (appId, update, change = (id, work) => unitOfWork.run(id, work)) =>
    change(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const { product, isChanged } = apply(tx, update, now(), false);
      if (isChanged) tx.markChanged();
      return product;
    });
}

export function createUpdateProducts({ unitOfWork, now }: UpdateProductsDependencies): UpdateProducts {
  return async (appId, updates, { fromFeed }) => {
    const at = now();
    const write = (some: readonly ProductUpdate[]) => (tx: Transaction) => {
      if (tx.app() === undefined) throw new NotFound("app");
      let isAnyChanged = false;
      const outcomes = some.map((update) => {
        try {
          const { isChanged, ...updated } = apply(tx, update, at, fromFeed);
          isAnyChanged ||= isChanged;
          return updated;
        } catch (error) {
          if (error instanceof InvalidArgument || error instanceof NotFound) return error;
          throw error;
        }
      });
      if (isAnyChanged) tx.markChanged();
      return outcomes;
    };
    // Without updates one work still checks that the app exists.
    const works = [write(updates.slice(0, AT_ONCE))];
    for (let from = AT_ONCE; from < updates.length; from += AT_ONCE)
      works.push(write(updates.slice(from, from + AT_ONCE)));
    return (await unitOfWork.runEach(appId, works)).flatMap((outcome) => {
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    });
  };
}

/** Writes the product as it is after the update, unless it is so already. */
function apply(tx: Transaction, update: ProductUpdate, at: number, fromFeed: boolean) {
  const { productId, fields, allowMissing } = update;
  if (productId === "") throw new InvalidArgument("product.product_id", "missing");
  const before = tx.products.get(productId);
  if (before === undefined && !allowMissing) throw new NotFound("product");
  const draft = checkProduct({ ...EMPTY, ...before, ...fields, productId, attributes: attributesOf(before, update) });
  const isShownAgain = fields.hidden !== undefined || (fromFeed && before?.hiddenByFeed === true);
  const after: Product = {
    ...draft,
    hidden: isShownAgain ? (fields.hidden ?? false) : draft.hidden,
    hiddenByFeed: !isShownAgain && before?.hiddenByFeed === true,
    origin: "catalog",
    addedAt: before?.origin === "catalog" ? before.addedAt : at,
    updatedAt: at,
  };
  if (before !== undefined && isSameProduct(before, after)) return { product: before, isNew: false, isChanged: false };
  tx.products.put(productId, after);
  return { product: after, isNew: before === undefined, isChanged: true };
}

function attributesOf(before: Product | undefined, { fields, attributes }: ProductUpdate): Record<string, string> {
  const all = { ...(fields.attributes ?? before?.attributes), ...attributes };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

const EMPTY: Omit<ProductDraft, "productId"> = {
  sku: "",
  variantGroupId: "",
  title: "",
  description: "",
  categories: [],
  brand: "",
  price: { amount: "", currency: "" },
  url: "",
  imageUrl: "",
  available: true,
  hidden: false,
  tags: [],
  attributes: {},
  cost: { amount: "", currency: "" },
  stock: null,
  salePrice: { amount: "", currency: "" },
  saleStart: 0,
  saleEnd: 0,
  validFrom: 0,
  validUntil: 0,
};
