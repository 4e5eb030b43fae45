/** What uses of a frame change in its list: visitors who use the frame again and again, and click nothing. */
import { DEFAULT_FRAME_ID } from "../../domain/frame.js";
import type { ShownList } from "../../domain/frame-exposure.js";
import { withList } from "../../recommend/frames/rotation.js";
import type { ServingModel } from "../sources/source.js";
import type { Question, Questions } from "./questions.js";
import type { createAnswers } from "./rankings.js";
import type { EvaluatedTask } from "./report.js";
import { joinedQuestion, type Siblings } from "./siblings.js";
import { notJudged } from "./tasks.js";

const PLACES = 10;
/** After how many uses the list is judged. */
const USES = [0, 1, 3, 10] as const;
const MOST_USES = Math.max(...USES);
/** Each is answered eleven times. */
const MOST_QUESTIONS = 500;
const BETWEEN_USES_MS = 60_000;

/** Judges the first questions by whether the wanted product is among the ten, and by the products that stay on the list. */
export function usedFrameTask(
  { asked: questions, possible }: Questions,
  answers: ReturnType<typeof createAnswers>,
  { productIds }: Pick<ServingModel, "productIds">,
  siblings: Siblings,
): EvaluatedTask {
  const asked = questions.filter((one) => joinedQuestion(one, siblings) !== undefined).slice(0, MOST_QUESTIONS);
  if (asked.length === 0) return notJudged("used_frame", "each wanted product is a variant of one that is given");
  const judged = USES.map(() => ({ hits: 0, repeated: 0 }));
  for (const question of asked) {
    const lists = listsAfterUses(question, answers, productIds);
    for (const [i, uses] of USES.entries()) {
      const list = lists[uses]!;
      const before = lists[Math.max(0, uses - 1)]!;
      if (list.some((product) => isWanted(siblings.of(product), joinedQuestion(question, siblings)!)))
        judged[i]!.hits++;
      judged[i]!.repeated += list.filter((product) => before.includes(product)).length / Math.max(1, list.length);
    }
  }
  return {
    name: "used_frame",
    queries: asked.length,
    possible,
    reason: "",
    rankings: judged.map(({ hits, repeated }, i) => ({
      name: `uses_${USES[i]}`,
      kind: "answer",
      figures: { hit_rate_10: hits / asked.length, repeated_10: repeated / asked.length },
      byHistory: [],
    })),
  };
}

function isWanted(product: number, { next, wanted }: Question): boolean {
  return next === undefined ? wanted.has(product) : product === next;
}

/** The list that the visitor sees first, and after each use. */
function listsAfterUses(
  question: Question,
  answers: ReturnType<typeof createAnswers>,
  productIds: ServingModel["productIds"],
): (readonly number[])[] {
  const frame = { recommendedCount: PLACES, alternativeCount: 0, includeViewed: true };
  const lists: (readonly number[])[] = [];
  const uses: number[] = [];
  let shownLists: readonly ShownList[] = [];
  const first = question.now - 2 * MOST_USES * BETWEEN_USES_MS;
  for (let n = 0; n <= MOST_USES; n++) {
    const { recommended } = answers(question, frame, { uses, shownLists });
    lists.push(recommended);
    const shown = recommended.map((product) => productIds[product]!);
    const at = first + 2 * n * BETWEEN_USES_MS;
    shownLists = withList(shownLists, { frameId: DEFAULT_FRAME_ID, productIds: shown, usedAt: uses.at(-1) ?? 0 }, at);
    uses.push(at + BETWEEN_USES_MS);
  }
  return lists;
}
