import { ARTICLES } from "../catalogue/catalogue.js";
import type { Article } from "../catalogue/notation.js";

/** What brings a visitor to the shop: a trip or a job, with the things it needs. */
export interface Project {
  readonly name: string;
  /** How common it is, to the others. */
  readonly weight: number;
  readonly searches: readonly string[];
  readonly needs: readonly Need[];
}

/** One thing a project needs: any of these articles will do. */
export interface Need {
  /** Chance that a visitor of the project looks for it, 0 to 1. */
  readonly chance: number;
  readonly articles: readonly Article[];
}

const NEEDS = /^(?<chance>0?\.\d+) (?<selectors>.+)$/;

/**
 * A project whose needs are texts: a chance, then what will do, each a `shape`, a `shape:tag` or an `#id`.
 * Throws an Error for a need that no article meets.
 */
function project(name: string, weight: number, searches: readonly string[], needs: readonly string[]): Project {
  return { name, weight, searches, needs: needs.map(readNeed) };
}

function readNeed(text: string): Need {
  const { chance = "", selectors = "" } = NEEDS.exec(text)?.groups ?? {};
  const articles = selectors.split(" ").flatMap((selector) => {
    const [shape, tag] = selector.split(":");
    return ARTICLES.filter((article) =>
      selector.startsWith("#")
        ? article.id === selector.slice(1)
        : article.shape === shape && (tag === undefined || article.tags.includes(tag)),
    );
  });
  if (articles.length === 0) throw new Error(`demo project needs what nobody sells: ${text}`);
  return { chance: Number(chance), articles };
}

export const PROJECTS: readonly Project[] = [
  project(
    "first camping trip",
    16,
    ["two person tent", "camping set for beginners", "sleeping bag summer", "tent easy to pitch"],
    [
      ".85 tent-dome:two-person",
      ".7 sleeping-bag:summer",
      ".6 foam-mat mat:three-season",
      ".45 stove:solo",
      ".35 headlamp:lightweight lantern:tent",
      ".3 mug cutlery",
      ".2 pillow",
    ],
  ),
  project(
    "family week on the campsite",
    14,
    ["family tent 4 persons", "children sleeping bag", "camp stove two burner", "tent with standing height"],
    [
      ".7 tent-tunnel",
      ".5 sleeping-bag:children",
      ".5 mat:family",
      ".45 stove:family",
      ".4 lantern:family headlamp:children",
      ".35 pot:family bowl cutlery",
      ".3 #midge-spray #sun-cream",
      ".25 daypack:children boot:children jacket:children",
    ],
  ),
  project(
    "hut to hut",
    14,
    ["trekking backpack 45", "waterproof hiking boots", "hut sleeping bag liner", "merino hiking shirt"],
    [
      ".6 backpack:hut daypack:hut",
      ".5 boot:hiking",
      ".45 #silk-liner",
      ".4 poles:trekking",
      ".4 jacket:hiking",
      ".45 socks:hiking",
      ".3 shirt:hiking",
      ".25 #camp-slipper #fell-map-north",
      ".3 first-aid:day-hike first-aid:hiking",
    ],
  ),
  project(
    "winter walking",
    10,
    ["warm gloves", "winter boots", "down jacket", "merino base layer"],
    [
      ".5 #cragstep",
      ".45 gaiter",
      ".5 gloves:winter gloves:wool",
      ".45 beanie:winter neck",
      ".5 longsleeve:winter leggings",
      ".45 puffer fleece:winter",
      ".3 flask",
      ".3 socks:winter",
    ],
  ),
  project(
    "bikepacking weekend",
    10,
    ["bikepacking bags", "handlebar bag waterproof", "bike tent", "mini pump"],
    [
      ".6 handlebar-bag",
      ".55 saddle-bag",
      ".5 frame-bag",
      ".35 #pedal-hut-1 #featherfall-quilt",
      ".4 pump multitool:cycling patches:cycling",
      ".3 #bike-beacon",
      ".3 #cage-bottle #gravel-gloves #top-tube-pouch",
      ".2 pannier",
    ],
  ),
  project(
    "a day on the water",
    9,
    ["packraft", "dry bag 20 l", "life vest children", "kayak inflatable"],
    [
      ".6 raft",
      ".55 paddle",
      ".55 life-vest",
      ".5 dry-bag",
      ".35 phone-case",
      ".3 #neo-shoes #ford-sandal",
      ".3 #sun-hoodie #sun-cream",
      ".25 #throw-line #fell-map-lakes",
    ],
  ),
  project(
    "trail running",
    9,
    ["trail running shoes", "running vest", "soft flask", "head torch running"],
    [
      ".65 #heathrunner",
      ".5 #swift-12",
      ".45 shirt:running shorts:running",
      ".45 socks:running",
      ".4 #soft-flask",
      ".3 headlamp:running",
      ".3 jacket:running",
      ".25 poles:running #tern-headband #waymark-watch",
    ],
  ),
  project(
    "rainy season",
    9,
    ["rain jacket", "rain trousers", "waterproof shoes", "umbrella"],
    [
      ".65 jacket:rain",
      ".45 trousers:rain",
      ".3 umbrella hat poncho",
      ".35 #pathway-low",
      ".35 rain-cover",
      ".35 #wash-in #spray-on",
    ],
  ),
  project(
    "fast and light",
    6,
    ["ultralight backpack", "ultralight tent", "down quilt", "titanium pot"],
    [
      ".55 #gossamer-38",
      ".5 #lark-1 #broadleaf-tarp",
      ".45 #featherfall-quilt #eider-0",
      ".45 #cloudbank-mat",
      ".45 #pip-stove #titan-pot",
      ".4 #clear-filter",
      ".35 #camp-meal #spork-trio",
    ],
  ),
  project(
    "presents and coffee",
    7,
    ["gift outdoor", "enamel mug", "camp coffee", "pocket knife"],
    [
      ".5 mug",
      ".5 coffee",
      ".35 kettle flask",
      ".35 knife sewing",
      ".3 book binoculars",
      ".3 #fjord-beanie #loop-scarf",
      ".25 #storm-lantern #fairy-line",
    ],
  ),
  project(
    "care day",
    6,
    ["waterproofing spray", "tent repair", "boot wax", "down wash"],
    [
      ".45 bottle:washing",
      ".45 #spray-on",
      ".45 tin brush",
      ".4 patches:tent tube:repair",
      ".35 tape sewing",
      ".25 laces insole",
    ],
  ),
  project(
    "expedition",
    5,
    ["65 litre backpack", "four season tent", "solar panel", "water tablets"],
    [
      ".5 #hauler-65",
      ".45 #stormcairn-2 #eider-minus-12",
      ".45 solar powerbank:expedition",
      ".4 #waymark-mini #true-compass #altimeter",
      ".4 first-aid:expedition #bivvy-sack",
      ".4 water-filter:travel blister-pack",
      ".3 #camp-meal multitool:camp",
    ],
  ),
];
