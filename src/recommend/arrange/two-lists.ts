import type { ReportFailure } from "../../adapters/report-failure.js";
import type { List, ServingModel, SourceQuery } from "../../learning/sources/source.js";
import type { Proposal } from "../products/catalog.js";

/** Most probable that chance alone makes a rule by which products are said to be bought together. */
const MOST_CHANCE = 0.01;

/**
 * The proposals of `recommended` beside `alternative`, in their order. Products of the viewed narrowest category move: those
 * that `alternative` would show are left to it, the others come last. The viewed products and those bought together with
 * them keep their places. Without this rule `recommended` would take all substitutes, as visitors go on to them more often
 * than to complements. Without categories the two cannot be told apart, and `recommended` has the first choice. The result
 * is lazy and can be read repeatedly.
 *
 * @param proposals What `recommended` would show.
 * @param viewed What alternatives are wanted to.
 * @param alternatives What `alternative` would show.
 * @param categoryOf The narrowest category as a number; undefined without one.
 * @param isTogether Whether a product is bought together with what is viewed.
 */
export function besideAlternative(
  proposals: Iterable<Proposal>,
  viewed: readonly Proposal[],
  alternatives: readonly Proposal[],
  categoryOf: (proposal: Proposal) => number | undefined,
  isTogether: (proposal: Proposal) => boolean,
): Iterable<Proposal> {
  if (alternatives.length === 0) return proposals;
  const categories = viewed.map(categoryOf).filter((category) => category !== undefined);
  if (categories.length === 0) return proposals;
  const isSubstitute = (proposal: Proposal) => {
    const category = categoryOf(proposal);
    const isOfCategory = category !== undefined && categories.includes(category);
    return isOfCategory && !viewed.includes(proposal) && !isTogether(proposal);
  };
  const left = new Set(alternatives);
  return { [Symbol.iterator]: () => substitutesLast(proposals, isSubstitute, left) };
}

/**
 * Proposals without the substitutes left to the other list; their remaining category comes last. A module-level function
 * on purpose. V8 allocates a map in the old generation for each generator closure. That map would keep the whole answer
 * alive until the next major collection.
 */
function* substitutesLast(
  proposals: Iterable<Proposal>,
  isSubstitute: (proposal: Proposal) => boolean,
  left: ReadonlySet<Proposal>,
): Generator<Proposal> {
  const last: Proposal[] = [];
  for (const proposal of proposals) {
    if (!isSubstitute(proposal)) yield proposal;
    else if (!left.has(proposal)) last.push(proposal);
  }
  yield* last;
}

/** Whether a rule says that a product is ordered together with what alternatives are wanted to, and not by chance. */
export function boughtTogether(
  model: ServingModel | undefined,
  query: SourceQuery | undefined,
  reportFailure: ReportFailure,
): (proposal: Proposal) => boolean {
  const rules = model?.sources.find(({ name }) => name === "association_rules");
  if (rules === undefined || query === undefined) return () => false;
  const asked = { ...query, antecedents: query.anchor };
  return (proposal) => {
    if (typeof proposal === "string") return false;
    try {
      const { lift = 0, chance = 1 } = rules.explain(asked, "recommended", proposal)?.counts ?? {};
      return lift > 1 && chance <= MOST_CHANCE;
    } catch (error) {
      reportFailure("bought_together", error);
      return false;
    }
  };
}

/**
 * How many products `recommended` takes: in a shop too small for both lists it leaves `alternative` its share of what
 * belongs there.
 *
 * @param counts How many each list is to show.
 * @param substitutes How many products belong into `alternative`.
 * @param available How many there are for both, at most as many as are wanted.
 */
export function recommendedShare(
  counts: Readonly<Record<List, number>>,
  substitutes: number,
  available: number,
): number {
  const wanted = counts.recommended + counts.alternative;
  if (available >= wanted) return counts.recommended;
  const due = Math.min(substitutes, Math.floor((available * counts.alternative) / wanted));
  return Math.min(counts.recommended, available - due);
}
