/** How session neighbours are found and scored; `session-neighbours.ts` has the formulas. */
export interface SessionParams {
  /** Neighbours that are scored. */
  readonly k: number;
  /** Newest sessions listed for each product: bounds memory and the time of a query. */
  readonly sessionsPerItem: number;
  /** Newest items of a session that are kept. */
  readonly sessionItems: number;
  /** Most distinct items read of a query, the newest. */
  readonly queryItems: number;
  /** Steps back in the query after which an item's weight has fallen to 1/e. */
  readonly queryDecay: number;
  /** Days after which the weight of a session has fallen to 1/e. */
  readonly sessionDecayDays: number;
  /** Steps from the anchor in a neighbour after which an item's weight has fallen to 1/e. */
  readonly neighbourDecay: number;
  /** Weight of what precedes the anchor, against 1 for what follows it. */
  readonly before: number;
  /** Weight of the anchor itself: how strongly repeats are proposed. */
  readonly repeat: number;
  /** Power of the anchor's own query weight in a neighbour's vote. */
  readonly anchorPower: number;
  /** Power of IDF in the similarity of sessions. */
  readonly idfInSimilarity: number;
  /** Power of IDF in the score of a product. */
  readonly idfInScore: number;
  /** Power of a session's length that its similarity is divided by. */
  readonly lengthNormalisation: number;
  /** Power of the sum of shared weights: above 1, sharing much counts more than being one of many. */
  readonly sharpness: number;
}

const BOUNDS = { k: 500, sessionsPerItem: 1000, sessionItems: 200, queryItems: 30, idfInSimilarity: 4 } as const;

/** Visits that look for one kind of thing; tuned on product views of a web shop (diginetica). The default. */
export const BROWSING: SessionParams = {
  ...BOUNDS,
  queryDecay: 4,
  sessionDecayDays: 120,
  neighbourDecay: 3,
  before: 0.7,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.5,
  sharpness: 1.5,
};

/** Short visits that change their mind quickly, in a range that changes within weeks; tuned on yoochoose. */
export const QUICK: SessionParams = {
  ...BOUNDS,
  queryDecay: 2,
  sessionDecayDays: 7,
  neighbourDecay: 1.5,
  before: 1,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1,
};

/** Long visits that come back to the same things over and over; tuned on tmall. */
const RETURNING: SessionParams = {
  ...BOUNDS,
  queryDecay: 20,
  sessionDecayDays: 30,
  neighbourDecay: 10,
  before: 0.9,
  repeat: 4,
  anchorPower: 0.5,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1.5,
};

export const SESSION_PRESETS = { browsing: BROWSING, quick: QUICK, returning: RETURNING } as const;
