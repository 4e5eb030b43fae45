/**
 * What belongs together: who takes the first article is shown the others and often takes them too. These are the pairs
 * a recommender should find in the orders.
 */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  "lark-1": ["wye-pegs"],
  "lark-2": ["lark-footprint", "wye-pegs"],
  "lark-2-sand": ["lark-footprint", "wye-pegs"],
  "fell-house-4": ["fell-carpet", "porch-wing"],
  "fell-house-6": ["fell-carpet", "porch-wing"],
  "stormcairn-2": ["drift-pegs"],
  "broadleaf-tarp": ["glow-line"],
  "eider-0": ["silk-liner", "down-wash"],
  "cloudbank-mat": ["nook-pillow"],
  "pip-stove": ["gas-230", "titan-pot"],
  "boiler-bell": ["gas-230", "camp-meal"],
  "two-ring": ["gas-450", "nest-pots"],
  "drip-cone": ["enamel-mug"],
  "glim-500-rc": ["cell-10"],
  "sunleaf-panel": ["cell-20"],
  "ramble-22": ["pack-cover-s"],
  "ramble-28": ["pack-cover-s"],
  "hauler-45": ["pack-cover-l", "stuff-trio"],
  "hauler-45-long": ["pack-cover-l", "stuff-trio"],
  "hauler-65": ["pack-cover-l"],
  "moorland-mid": ["hike-socks", "boot-wax"],
  "moorland-mid-w": ["hike-socks", "boot-wax"],
  cragstep: ["marsh-gaiter", "winter-socks"],
  heathrunner: ["run-socks"],
  "swift-12": ["soft-flask"],
  "dash-tee": ["dash-shorts"],
  "strider-poles": ["winter-baskets"],
  "fell-map-north": ["true-compass"],
  "fell-map-lakes": ["map-case"],
  "drizzle-jacket": ["drizzle-trousers"],
  "drizzle-jacket-w": ["drizzle-trousers"],
  "gale-shell": ["gale-trousers"],
  "ember-puffer": ["down-wash"],
  "ember-puffer-pine": ["down-wash"],
  "frost-top": ["frost-leggings"],
  "fjord-beanie": ["loop-scarf"],
  "meadow-tee": ["wool-wash"],
  "roost-bar-bag": ["tail-saddle-bag", "wedge-frame-bag"],
  "mini-pump": ["tube-kit", "nine-tool"],
  "minnow-raft": ["reach-paddle", "otter-vest", "mat-glue"],
  "heron-kayak": ["otter-vest", "seal-bag-20"],
  "seal-bag-10": ["fin-phone-case"],
  "spray-on": ["wash-in"],
  "boot-wax": ["boot-brush"],
  "sewing-roll": ["patch-set"],
  "aid-kit-day": ["blister-set", "rescue-blanket"],
  "clear-filter": ["water-tabs"],
  "midge-spray": ["sun-cream"],
};

/** Ids of the articles that fit one, most wanted first. */
export function fitting(articleId: string): readonly string[] {
  return FITTING[articleId] ?? [];
}

/** All pairs of article ids that belong together, the one that is bought first in front. */
export const DEMO_COMPLEMENTS: readonly (readonly [string, string])[] = Object.entries(FITTING).flatMap(
  ([first, others]) => others.map((other) => [first, other] as const),
);
