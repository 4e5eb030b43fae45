/**
 * Turns the JSON body of /recommend into a RecommendRequest. It reads known properties only, in one pass, so a
 * `__proto__` in the body has no effect.
 */
import type { FrameInteraction, InteractionType, ProductInteraction } from "../gen/aisle/v1/interaction_pb.js";
import { AvailabilityFilter } from "../gen/aisle/v1/recommendation_filter_pb.js";
import type { RecommendPageRequest, RecommendRequest } from "../gen/aisle/v1/recommendation_service_pb.js";
import { parseRfc3339 } from "../parse/times.js";
import { invalid, invalidApp, missing, type Refused } from "./errors.js";
import { decodeTwiceEncodedId } from "./form.js";
import { type IdList, readIdList, scalarText } from "./lists.js";
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
import { timestampOf } from "./times.js";

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
  return readElements<InteractionName, ProductInteraction>(value, "productInteractions", (element, place) => ({
    $typeName: "aisle.v1.ProductInteraction",
    type: readType(element, place),
    productId: id(element, "productId", place),
    sku: id(element, "productSku", place),
    interactionTime: readTime(element, place),
  }));
}

function readFrameInteractions(value: unknown): FrameInteraction[] {
  if (value === undefined || value === null || value === "") return [];
  return readElements<FrameInteractionName, FrameInteraction>(
    value,
    "recommendFrameInteractions",
    (element, place) => ({
      $typeName: "aisle.v1.FrameInteraction",
      frameId: id(element, "trackerProductGroupId", place),
      interactionTime: readTime(element, place),
    }),
  );
}

/** Where an element is. Its text is made only for an error: a body has thousands of elements. */
interface Place {
  readonly list: BodyName;
  readonly index: number;
}

function readElements<Name extends string, T>(
  value: unknown,
  list: BodyName,
  read: (element: Fields<Name>, place: Place) => T,
): T[] {
  if (!Array.isArray(value)) throw invalid("recommend", list);
  return value.map((element: unknown, index) => {
    if (!isObject<Name>(element)) throw invalid("recommend", `${list}[${index}]`);
    return read(element, { list, index });
  });
}

function readType({ productInteractionType: value }: Fields<InteractionName>, place: Place): InteractionType {
  const word = typeof value === "string" ? value : "";
  const type = INTERACTION_TYPES.get(word) ?? INTERACTION_TYPES.get(word.trim().toLowerCase());
  if (type === undefined) throw invalidField("productInteractionType", place);
  return type;
}

function readTime({ utcInteractionDate: value }: Fields<"utcInteractionDate">, place: Place) {
  const ms = typeof value === "string" ? parseRfc3339(value) : Number.NaN;
  if (Number.isNaN(ms)) throw invalidField("utcInteractionDate", place);
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
function id<Name extends string>(fields: Fields<Name>, name: Name, place?: Place): string {
  const value = text(fields, name, place);
  return isNothing(value) ? "" : cleanId(value);
}

function text<Name extends string>(fields: Fields<Name>, name: Name, place?: Place): string {
  const read = scalarText(fields[name]);
  if (read === undefined) throw invalidField(name, place);
  return read;
}

function invalidField(name: string, place: Place | undefined): Refused {
  return invalid("recommend", place === undefined ? name : `${place.list}[${place.index}].${name}`);
}

/** Never refused: the page works without it. */
function isOn(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

function isObject<Name extends string>(value: unknown): value is Fields<Name> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
