import type { FieldMask } from "@bufbuild/protobuf/wkt";
import type { ProductUpdate } from "../catalog/update-products.js";
import type { ProductDraft } from "../catalog/write-products.js";
import { InvalidArgument } from "../domain/errors.js";
import { Availability, type Product as ProductMessage } from "../gen/aisle/v1/product_pb.js";
import { unknownPath } from "./field-masks.js";
import { productDraft } from "./product-messages.js";

type Fields = ProductUpdate["fields"];

/** The fields of an update mask. */
const FIELDS: Readonly<Record<string, (draft: ProductDraft) => Fields>> = {
  sku: ({ sku }) => ({ sku }),
  variant_group_id: ({ variantGroupId }) => ({ variantGroupId }),
  title: ({ title }) => ({ title }),
  description: ({ description }) => ({ description }),
  categories: ({ categories }) => ({ categories }),
  brand: ({ brand }) => ({ brand }),
  price: ({ price }) => ({ price }),
  url: ({ url }) => ({ url }),
  image_url: ({ imageUrl }) => ({ imageUrl }),
  availability: ({ available }) => ({ available }),
  hidden: ({ hidden }) => ({ hidden }),
  tags: ({ tags }) => ({ tags }),
  attributes: ({ attributes }) => ({ attributes }),
  display_start_time: ({ validFrom }) => ({ validFrom }),
  display_end_time: ({ validUntil }) => ({ validUntil }),
  cost_of_goods: ({ cost }) => ({ cost }),
  stock: ({ stock }) => ({ stock }),
  sale_price: ({ salePrice }) => ({ salePrice }),
  sale_start_time: ({ saleStart }) => ({ saleStart }),
  sale_end_time: ({ saleEnd }) => ({ saleEnd }),
};

/** Begins a path that names one attribute. Its name may stand between backticks (AIP-161). */
const ATTRIBUTE = "attributes.";

/** Reads an update of a product. Throws InvalidArgument that names the field, also for an unknown path of the mask. */
export function productUpdate(
  message: ProductMessage | undefined,
  mask: FieldMask | undefined,
  allowMissing: boolean,
): ProductUpdate {
  if (message === undefined) throw new InvalidArgument("product", "missing");
  const draft = productDraft(message);
  const attributes: Record<string, string> = {};
  let fields: Fields = {};
  for (const path of pathsOf(message, mask)) {
    const read = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
    if (read !== undefined) fields = { ...fields, ...read(draft) };
    else if (path.startsWith(ATTRIBUTE) && path.length > ATTRIBUTE.length) {
      const name = path.slice(ATTRIBUTE.length).replace(/^`(.+)`$/, "$1");
      attributes[name] = draft.attributes[name] ?? "";
    } else throw unknownPath(path, Object.keys(FIELDS));
  }
  return { productId: message.productId, fields, attributes, allowMissing };
}

function pathsOf(message: ProductMessage, mask: FieldMask | undefined): readonly string[] {
  if (mask === undefined || mask.paths.length === 0) return setFields(message);
  return mask.paths.includes("*") ? Object.keys(FIELDS) : mask.paths;
}

function setFields(message: ProductMessage): readonly string[] {
  const isSet: Readonly<Record<string, boolean>> = {
    sku: message.sku !== "",
    variant_group_id: message.variantGroupId !== "",
    title: message.title !== "",
    description: message.description !== "",
    categories: message.categories.length > 0,
    brand: message.brand !== "",
    price: message.price !== undefined,
    url: message.url !== "",
    image_url: message.imageUrl !== "",
    availability: message.availability !== Availability.UNSPECIFIED,
    hidden: message.hidden,
    tags: message.tags.length > 0,
    attributes: Object.keys(message.attributes).length > 0,
    display_start_time: message.displayStartTime !== undefined,
    display_end_time: message.displayEndTime !== undefined,
    cost_of_goods: message.costOfGoods !== undefined,
    stock: message.stock !== undefined,
    sale_price: message.salePrice !== undefined,
    sale_start_time: message.saleStartTime !== undefined,
    sale_end_time: message.saleEndTime !== undefined,
  };
  return Object.keys(FIELDS).filter((path) => isSet[path]);
}
