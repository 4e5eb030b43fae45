import { type Explanation, NO_CANDIDATES } from "../common/candidates.js";
import { createRuleExplainer, type Rules, recommendFromRules } from "./rules/association-rules.js";
import type { Source } from "./source.js";

/** Association rules: customers who bought these also bought. They propose no alternatives. */
export function rulesSource(rules: Rules): Source {
  /** An answer may ask about many products. */
  let last:
    | { readonly antecedents: Uint32Array; readonly of: (product: number) => Explanation | undefined }
    | undefined;
  const explain = (antecedents: Uint32Array, product: number) => {
    if (last?.antecedents !== antecedents) last = { antecedents, of: createRuleExplainer(rules, antecedents) };
    return last.of(product);
  };
  return {
    name: "association_rules",
    complements: (query, k) => recommendFromRules(rules, query.antecedents, k),
    alternatives: () => NO_CANDIDATES,
    explain: (query, list, product) => (list === "recommended" ? explain(query.antecedents, product) : undefined),
    orderCount: (product) =>
      rules.offsets[product + 1]! > rules.offsets[product]! ? rules.productCounts[product]! : 0,
  };
}
