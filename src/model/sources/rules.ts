import { explainRule, type Rules, recommendFromRules } from "../../algorithms/association-rules.js";
import { NO_CANDIDATES } from "../../algorithms/candidates.js";
import type { Source } from "../source.js";

/** Association rules: customers who bought these also bought. They say nothing about alternatives. */
export function rulesSource(rules: Rules): Source {
  return {
    name: "association_rules",
    complements: (query, k) => recommendFromRules(rules, query.antecedents, k),
    alternatives: () => NO_CANDIDATES,
    explain: (query, list, product) =>
      list === "recommended" ? explainRule(rules, query.antecedents, product) : undefined,
  };
}
