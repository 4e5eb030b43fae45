import { Algorithm, type ModelAlgorithm } from "../../src/gen/aisle/v1/model_pb.js";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";

/** Display name of an algorithm. */
export function algorithmTitle({ algorithm }: ModelAlgorithm): string {
  return words(Algorithm[algorithm] ?? "other").toLowerCase();
}

/** Sizes and judgements of an algorithm, such as "rules 12". */
export function figuresText({ facts }: ModelAlgorithm): string {
  if (facts.case === undefined) return "";
  if (facts.case !== "blend") return numbersOf(facts.value).join(", ");
  const { sources, ...blend } = facts.value;
  const ofSources = sources.flatMap(({ source, ...figures }) =>
    numbersOf(figures, `${words(RecommendationSource[source] ?? "other").toLowerCase()} `),
  );
  return [...numbersOf(blend), ...ofSources].join(", ");
}

/** The numbers of a message and of the messages in it, with their names. */
function numbersOf(message: object, path = ""): string[] {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(message);
  return fields.flatMap(([name, value]) => {
    if (name.startsWith("$")) return [];
    const title = path + words(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
    if (typeof value === "bigint") return [`${title} ${value}`];
    if (typeof value === "number") return [`${title} ${Number(value.toPrecision(4))}`];
    return typeof value === "object" && value !== null ? numbersOf(value, `${title} `) : [];
  });
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
