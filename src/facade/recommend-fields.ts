/**
 * The fields of a /recommend body: names that its reader may ask for (recommend-request.ts accepts no other) and their
 * descriptions in the OpenAPI document. test/openapi/body.test.ts compares reader and document.
 */
import { InteractionType } from "../gen/aisle/v1/interaction_pb.js";

/**
 * The value that a field accepts. `app`: an app id. `text`: text; numbers and booleans are read as text, null as
 * absent. `list`: the same, and arrays and objects of ids. `time`: RFC 3339. `type`: a kind of interaction. `flag`: anything, on
 * by `true` or `1`. The rest are arrays of objects.
 */
export type FieldKind =
  | "app"
  | "text"
  | "list"
  | "time"
  | "type"
  | "flag"
  | "interactions"
  | "frameInteractions"
  | "frames";

export interface RecommendField {
  readonly kind: FieldKind;
  /** Of a list: properties of an object that hold its id, the most exact one first. */
  readonly ids?: readonly string[];
  readonly says: string;
  readonly required?: true;
}

type Fields = Readonly<Record<string, RecommendField>>;

/** Maximum ids of a list. */
export const MAX_CURRENT = 100;

const SEPARATED =
  "`|` between them, else `,`; a text or part that is known as one id, commas included, counts as that id";
const LIST = `${SEPARATED}; the first ${MAX_CURRENT} count`;

export const RECOMMEND_BODY = {
  appId: { kind: "app", required: true, says: "The app (shop) that asks." },
  productInteractions: {
    kind: "interactions",
    required: true,
    says: "What the visitor did with products; may be empty. The newest 1,000 of a type count.",
  },
  recommendFrameInteractions: {
    kind: "frameInteractions",
    says: "Recommendations the visitor followed since `version`: what the frame had shown and the visitor passed over steps back.",
  },
  currentProductIds: {
    kind: "list",
    ids: ["productId", "product_id", "id"],
    says: `Ids of the products currently viewed, ${LIST}.`,
  },
  currentProductSkus: {
    kind: "list",
    ids: ["productSku", "product_sku", "sku"],
    says: `SKUs of the products currently viewed, ${LIST}.`,
  },
  currentCategoryIds: {
    kind: "list",
    ids: ["categoryId", "category_id", "id"],
    says: `Ids of the categories currently viewed, ${LIST}.`,
  },
  cId: { kind: "text", says: "Client id of the browser's local storage." },
  fpccid: { kind: "text", says: "Fingerprint cookie id." },
  marketingMachineFrameConfigurationId: {
    kind: "text",
    says: "The frame configuration to fill; an unknown one is the app's default.",
  },
  filterByGroups: {
    kind: "list",
    ids: ["groupId", "group_id", "categoryId", "category_id", "id"],
    says: `Category ids or tags, ${SEPARATED}: only products of one of them are recommended. A boolean or nothing: no filter.`,
  },
  externalCookieGaId: { kind: "text", says: "Analytics cookie value. Read and neither stored nor logged." },
  trackClicks: {
    kind: "flag",
    says: "`true`: the answer has a `recommendationId`, which the page sends back as `recommendation_id` of `POST /trace` with clicks and orders.",
  },
  withCurrency: {
    kind: "flag",
    says: "`true`: each product of the answer has a `currency`, the ISO 4217 code of its price.",
  },
  version: {
    kind: "text",
    says: "The version of the answer the client last stored; with another than the current one its frame interactions are ignored.",
  },
} as const satisfies Fields;

/** An id of a frame. */
export const FRAME_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Maximum frames of a page. */
export const MAX_FRAMES = 20;

/** Beyond the fields of RECOMMEND_BODY. */
export const PAGE_BODY = {
  frames: {
    kind: "frames",
    required: true,
    says: `The frame configurations to fill, 1 to ${MAX_FRAMES}, in the order in which they choose; an unknown one is the app's default.`,
  },
} as const satisfies Fields;

export const PRODUCT_INTERACTION = {
  productInteractionType: { kind: "type", required: true, says: "What the visitor did. Compared without case." },
  productId: { kind: "text", says: "Product id." },
  productSku: { kind: "text", says: "Product SKU; it serves where the id is empty." },
  utcInteractionDate: { kind: "time", required: true, says: "When." },
} as const satisfies Fields;

export const FRAME_INTERACTION = {
  trackerProductGroupId: { kind: "text", says: "The frame; an unknown one counts for the default frame." },
  utcInteractionDate: { kind: "time", required: true, says: "When." },
} as const satisfies Fields;

export type BodyName = keyof typeof RECOMMEND_BODY;
export type ListName = {
  [Name in BodyName]: (typeof RECOMMEND_BODY)[Name] extends { readonly kind: "list" } ? Name : never;
}[BodyName];
export type InteractionName = keyof typeof PRODUCT_INTERACTION;
export type FrameInteractionName = keyof typeof FRAME_INTERACTION;

/** The accepted words of each kind of interaction, the documented one first. */
export const INTERACTION_TYPES: ReadonlyMap<string, InteractionType> = new Map([
  ["product_view", InteractionType.PRODUCT_VIEW],
  ["add_to_cart", InteractionType.ADD_TO_CART],
  ["order", InteractionType.ORDER],
  ["view", InteractionType.PRODUCT_VIEW],
]);
