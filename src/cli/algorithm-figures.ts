import type { ModelAlgorithm } from "../gen/aisle/v1/model_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { enumWord } from "./enum-words.js";

/** The sizes and judgements of an algorithm as names and numbers. */
export function algorithmFigures(facts: ModelAlgorithm["facts"] | undefined): ReadonlyMap<string, number> {
  if (facts?.case === undefined) return new Map();
  if (facts.case !== "blend") return new Map(numbersOf(facts.value, ""));
  const { sources, ...blend } = facts.value;
  const ofSources = sources.flatMap(({ source, ...figures }) =>
    numbersOf(figures, `${enumWord(RecommendationSource, source)} `),
  );
  return new Map([...numbersOf(blend, ""), ...ofSources]);
}

/** The numbers of a message and of the messages in it. */
function numbersOf(message: object, path: string): (readonly [string, number])[] {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(message);
  return fields.flatMap(([name, value]) => {
    if (name.startsWith("$")) return [];
    const word = path + name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === "number" || typeof value === "bigint") return [[word, Number(value)] as const];
    return typeof value === "object" && value !== null ? numbersOf(value, `${word} `) : [];
  });
}
