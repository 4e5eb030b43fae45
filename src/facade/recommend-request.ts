/**
 * Turns the JSON body of /recommend into a RecommendRequest. It reads known properties only, in one pass, so a
 * `__proto__` in the body has no effect.
 */
import type { FrameInteraction, InteractionType, ProductInteraction } from "../gen/aisle/v1/interaction_pb.js";
import { AvailabilityFilter } from "../gen/aisle/v1/recommendation_filter_pb.js";
import type { RecommendPageRequest, RecommendRequest } from "../gen/aisle/v1/recommendation_service_pb.js";
import { invalid, invalidApp, missing } from "./errors.js";
import { decodeTwiceEncodedId } from "./form.js";
import { type IdList, readIdList, scalarText } from "./id-lists.js";
import {
  type BodyName,
  FRAME_ID,
  type FrameInteractionName,
  INTERACTION_TYPES,
  type InteractionName,
  type ListName,
  MAX_CURRENT,
  MAX_FRAMES,
  type PAGE_BODY,
  RECOMMEND_BODY,
} from "./recommend-fields.js";
import { cleanId, isAppId, isNothing } from "./text-values.js";
import { parseRfc3339, timestampOf } from "./times.js";

/** Maximum groups of a filter. */
const MAX_GROUPS = 1000;

/** An object of the body; only the fields of its table may be read. */
type Fields<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;
type Body = Fields<BodyName>;

/** Reads the request from a body. Throws only Refused, whose text names the field. */
export function toRecommendRequest(body: unknown): RecommendRequest {
  if (!isObject<BodyName>(body)) throw invalid("recommend", "body");
  const appId = text(body, "appId");
  if (appId === "") throw missing("recommend", "appId");
  if (body.productInteractions === undefined || body.productInteractions === null || body.productInteractions === "")
    throw missing("recommend", "productInteractions");
  if (!isAppId(appId)) throw invalidApp("recommend");
  text(body, "externalCookieGaId");
  const products = readList(body, "currentProductIds", MAX_CURRENT);
  const skus = readList(body, "currentProductSkus", MAX_CURRENT);
  const categories = readList(body, "currentCategoryIds", MAX_CURRENT);
  const groups = readGroups(body);
  return {
    $typeName: "aisle.v1.RecommendRequest",
    appId,
    visitor: {
      $typeName: "aisle.v1.VisitorIds",
      clientId: decodeTwiceEncodedId(id(body, "cId")),
      fingerprintId: decodeTwiceEncodedId(id(body, "fpccid")),
      userId: "",
    },
    interactions: readInteractions(body.productInteractions),
    frameInteractions: readFrameInteractions(body.recommendFrameInteractions),
    currentProductIds: products.ids,
    currentSkus: skus.ids,
    currentCategoryIds: categories.ids,
    frameId: id(body, "marketingMachineFrameConfigurationId"),
    filter: {
      $typeName: "aisle.v1.RecommendationFilter",
      anyGroupIds: groups.ids,
      excludedProductIds: [],
      allGroupIds: [],
      excludedGroupIds: [],
      availability: AvailabilityFilter.UNSPECIFIED,
    },
    clientVersion: id(body, "version"),
    trackClicks: isOn(body.trackClicks),
    bot: false,
    recommendedCount: undefined,
    alternativeCount: undefined,
    preview: false,
    ...(products.text + skus.text + categories.text + groups.text !== "" && {
      sentLists: {
        $typeName: "aisle.v1.SentLists",
        currentProductIds: products.text,
        currentSkus: skus.text,
        currentCategoryIds: categories.text,
        anyGroupIds: groups.text,
      },
    }),
  };
}

/** Whether the products of the answer name their currency. */
export function wantsCurrency(body: unknown): boolean {
  return isObject<BodyName>(body) && isOn(body.withCurrency);
}

/** Reads the request of a page: as one for a frame, with `frames` in place of its frame. */
export function toRecommendPageRequest(body: unknown): RecommendPageRequest & { readonly request: RecommendRequest } {
  const request = toRecommendRequest(body);
  const frames = isObject<keyof typeof PAGE_BODY>(body) ? body.frames : undefined;
  if (frames === undefined || frames === null) throw missing("recommend", "frames");
  if (!isFrameList(frames)) throw invalid("recommend", "frames");
  return {
    $typeName: "aisle.v1.RecommendPageRequest",
    request: { ...request, frameId: "" },
    frameIds: [...frames],
  };
}

function isFrameList(value: unknown): value is readonly string[] {
  const isId = (element: unknown) => typeof element === "string" && FRAME_ID.test(element);
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_FRAMES && value.every(isId);
}

function readInteractions(value: unknown): ProductInteraction[] {
  if (!Array.isArray(value)) throw invalid("recommend", "productInteractions");
  const elements: readonly unknown[] = value;
  const interactions: ProductInteraction[] = new Array(elements.length);
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index];
    if (!isObject<InteractionName>(element)) throw invalid("recommend", `productInteractions[${index}]`);
    interactions[index] = {
      $typeName: "aisle.v1.ProductInteraction",
      type: readType(element.productInteractionType, index),
      productId: elementId(element, "productId", "productInteractions", index),
      sku: elementId(element, "productSku", "productInteractions", index),
      interactionTime: readTime(element.utcInteractionDate, "productInteractions", index),
    };
  }
  return interactions;
}

function readFrameInteractions(value: unknown): FrameInteraction[] {
  if (value === undefined || value === null || value === "") return [];
  if (!Array.isArray(value)) throw invalid("recommend", "recommendFrameInteractions");
  return value.map((element: unknown, index) => {
    if (!isObject<FrameInteractionName>(element)) throw invalid("recommend", `recommendFrameInteractions[${index}]`);
    return {
      $typeName: "aisle.v1.FrameInteraction",
      frameId: elementId(element, "trackerProductGroupId", "recommendFrameInteractions", index),
      interactionTime: readTime(element.utcInteractionDate, "recommendFrameInteractions", index),
    };
  });
}

function readType(value: unknown, index: number): InteractionType {
  if (typeof value === "string") {
    const type = INTERACTION_TYPES.get(value) ?? INTERACTION_TYPES.get(value.trim().toLowerCase());
    if (type !== undefined) return type;
  }
  throw invalid("recommend", `productInteractions[${index}].productInteractionType`);
}

function readTime(value: unknown, list: BodyName, index: number) {
  const ms = typeof value === "string" ? parseRfc3339(value) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid("recommend", `${list}[${index}].utcInteractionDate`);
  return timestampOf(ms);
}

/** The groups of the filter. A boolean, also as text, means "no filter", since some clients send it for that. */
function readGroups(body: Body): IdList {
  const groups = readList(body, "filterByGroups", MAX_GROUPS);
  return /^\s*(true|false)\s*$/i.test(groups.ids.length === 1 ? groups.ids[0]! : "") ? { ids: [], text: "" } : groups;
}

function readList(body: Body, name: ListName, most: number): IdList {
  const list = readIdList(body[name], RECOMMEND_BODY[name].ids, most);
  if (list === undefined) throw invalid("recommend", name);
  return list;
}

/**
 * An id that must be text. An id that is too long, has control characters or is a written-out null counts as absent.
 */
function id(body: Body, name: BodyName): string {
  const value = text(body, name);
  return isNothing(value) ? "" : cleanId(value);
}

function elementId<Name extends string>(element: Fields<Name>, name: Name, list: BodyName, index: number): string {
  const value = element[name];
  // Builds the text of the path only when an error needs it: this runs for every interaction.
  const read = typeof value === "string" ? value : scalarText(value);
  if (read === undefined) throw invalid("recommend", `${list}[${index}].${name}`);
  return read === "" || isNothing(read) ? "" : cleanId(read);
}

/** Never refused: the page works without it. */
function isOn(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

function text(body: Body, name: BodyName): string {
  const read = scalarText(body[name]);
  if (read === undefined) throw invalid("recommend", name);
  return read;
}

function isObject<Name extends string>(value: unknown): value is Fields<Name> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
