import { type Article, demoCatalogue } from "../catalogue.js";
import { readTable } from "../tables.js";

/** A visitor's reason to shop: a trip or a job, and the articles it needs. */
export interface Project {
  readonly name: string;
  /** How common it is, relative to others. */
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

let projects: readonly Project[] | undefined;

/**
 * The projects of `web/demo/projects.csv`, read once.
 * @throws Error for a need that no article meets
 */
export function demoProjects(): readonly Project[] {
  projects ??= readTable("projects.csv", ["name", "weight", "searches", "needs"]).map(({ text, list }) => ({
    name: text("name"),
    weight: Number(text("weight")),
    searches: list("searches"),
    needs: list("needs").map(readNeed),
  }));
  return projects;
}

/** A need as text: its chance, then the articles that meet it, as `kind`, `kind:tag` or `#id`. */
function readNeed(text: string): Need {
  const [chance, ...selectors] = text.split(" ");
  const articles = selectors.flatMap((selector) => {
    const [kind, tag] = selector.split(":");
    return demoCatalogue().articles.filter((article) =>
      selector.startsWith("#")
        ? article.id === selector.slice(1)
        : article.kind === kind && (tag === undefined || article.product.tags.includes(tag)),
    );
  });
  if (articles.length === 0) throw new Error(`web/demo/projects.csv needs what the shop does not sell: ${text}`);
  return { chance: Number(chance), articles };
}
