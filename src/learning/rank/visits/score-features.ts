import { createRanks } from "../../common/top-k.js";
import { FEATURE_COUNT, RANKED, SCORES, type Score } from "./feature-names.js";
import type { ScoreBoard } from "./score-board.js";

/** The rank of a candidate that a board does not score. */
const NO_RANK = 250;

/**
 * Writes the features that come from the boards: each score as a share of the best candidate's, then the ranks.
 * `places`: slots of the candidates; `rows`: FEATURE_COUNT numbers a candidate.
 */
export function createScoreFeatures(
  boards: Readonly<Record<Score, ScoreBoard>>,
  places: Uint32Array,
  rows: Float32Array,
): (count: number) => void {
  /** Scores of the candidates, board by board. */
  const columns = SCORES.map(() => new Float64Array(places.length));
  const columnOf = (name: Score) => columns[SCORES.indexOf(name)]!;
  const rankedColumns = RANKED.map(columnOf);
  // Candidates that a board scores, and their scores.
  const scoredCandidates = new Uint32Array(places.length);
  const scoresToRank = new Float64Array(places.length);
  const ranks = createRanks(places.length);

  function writeShare({ values, width, place }: ScoreBoard, own: Float64Array, count: number, column: number): void {
    let most = 0;
    for (let c = 0; c < count; c++) {
      const score = values[places[c]! * width + place]!;
      own[c] = score;
      if (score > most) most = score;
    }
    const scale = most > 0 ? 1 / most : 0;
    for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) rows[at] = own[c]! * scale;
  }

  function writeRank(own: Float64Array, count: number, column: number): void {
    let scored = 0;
    for (let c = 0, at = column; c < count; c++, at += FEATURE_COUNT) {
      rows[at] = NO_RANK;
      const value = own[c]!;
      if (!(value > 0)) continue;
      scoresToRank[scored] = value;
      scoredCandidates[scored++] = c;
    }
    const order = ranks(scoresToRank, scored);
    for (let rank = 0; rank < scored; rank++) rows[scoredCandidates[order[rank]!]! * FEATURE_COUNT + column] = rank + 1;
  }

  return (count) => {
    let column = 0;
    for (const [b, name] of SCORES.entries()) writeShare(boards[name], columns[b]!, count, column++);
    for (const own of rankedColumns) writeRank(own, count, column++);
  };
}
