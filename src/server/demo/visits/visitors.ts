import type { Article } from "../catalogue.js";
import { demoProjects, type Project } from "./projects.js";
import type { Random } from "./random.js";

/** A simulated person and what the shop's browser and server would know of them. Carts and plans change by visit. */
export interface Visitor {
  readonly clientId: string;
  readonly fingerprintId: string;
  /** Number of the customer account; "" for people who buy as guests. */
  readonly userId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** How often this visitor comes, relative to others. */
  readonly eagerness: number;
  project: Project;
  /** Indexes of the needs that the visitor has looked for. */
  readonly met: Set<number>;
  readonly cart: Map<Article, number>;
  readonly bought: Set<Article>;
  /** True once subscribed, false once unsubscribed, undefined before. */
  subscribed: boolean | undefined;
}

/**
 * A visitor of every simulated shop, whatever the seed: has an account, subscribed to the newsletter with the first
 * visit and never unsubscribes.
 */
export const DEMO_VISITOR = {
  clientId: "c-maja",
  fingerprintId: "fp-maja",
  userId: "1",
  email: "maja.lindqvist@example.com",
  firstName: "Maja",
  lastName: "Lindqvist",
} as const;

const FIRST_NAMES = [
  ...["Ada", "Aino", "Anton", "Bela", "Birgit", "Carlo", "Chiara", "Clara", "Dario", "Edda", "Emil", "Enno", "Eva"],
  ...["Finn", "Frida", "Greta", "Hanna", "Henk", "Ida", "Ilse", "Ivo", "Jana", "Jonas", "Juno", "Katja", "Kilian"],
  ...["Lars", "Lea", "Lotte", "Luca", "Marek", "Mila", "Nils", "Nora", "Olga", "Oskar", "Pia", "Rosa", "Ruben"],
  ...["Sanna", "Silvan", "Theo", "Tilda", "Ugo", "Vera", "Wanda", "Yara", "Zoe"],
];

const LAST_NAMES = [
  ...["Abel", "Bakker", "Berg", "Brandt", "Costa", "Dahl", "Eklund", "Falk", "Ferrari", "Graf", "Haas", "Hansen"],
  ...["Huber", "Jansen", "Keller", "Kowal", "Krause", "Lang", "Lund", "Maier", "Marti", "Moser", "Novak", "Olsen"],
  ...["Pohl", "Ricci", "Roth", "Sander", "Santos", "Simon", "Stein", "Vogel", "Weber", "Wolf", "Zeller"],
];

/** Visitors, the most eager first: a few come often, most come once or twice. */
export function createVisitors(count: number, random: Random): Visitor[] {
  return Array.from({ length: count }, (_, index) => {
    const firstName = random.pick(FIRST_NAMES);
    const lastName = random.pick(LAST_NAMES);
    const hasAccount = random.chance(index < count / 4 ? 0.6 : 0.25);
    return {
      clientId: `c-${random.hex(16)}`,
      fingerprintId: random.hex(32),
      userId: hasAccount ? String(1001 + index) : "",
      email: `${firstName}.${lastName}${index}@example.com`.toLowerCase(),
      firstName,
      lastName,
      eagerness: 1 / (index + 30) ** 0.6,
      project: chooseProject(random),
      met: new Set(),
      cart: new Map(),
      bought: new Set(),
      subscribed: undefined,
    };
  });
}

export function chooseProject(random: Random): Project {
  return random.pickWeighted(demoProjects(), (project) => project.weight);
}
