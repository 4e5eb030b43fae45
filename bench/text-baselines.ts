/** Plain ways to compare texts, for semantic.ts to be measured against. */
import { createTopK } from "../src/learning/common/top-k.js";

/** The products nearest to one, best first, itself not among them. */
export type NearestTo = (index: number, k: number) => readonly number[];

type Counts = ReadonlyMap<string, number>;

/** Words of two letters or more, lower case, as scikit-learn's vectorizers take them; times they occur. */
function wordCounts(text: string): Counts {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]{2,}/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function documentCounts(documents: readonly Counts[]): Map<string, number> {
  const having = new Map<string, number>();
  for (const words of documents) for (const word of words.keys()) having.set(word, (having.get(word) ?? 0) + 1);
  return having;
}

/** Cosine of TF-IDF rows: times * (ln((1 + texts) / (1 + texts with the word)) + 1), all words, no other weights. */
export function byTfIdf(texts: readonly string[]): NearestTo {
  const documents = texts.map(wordCounts);
  const having = documentCounts(documents);
  const rows = documents.map((words) => {
    const row = new Map<string, number>();
    for (const [word, times] of words)
      row.set(word, times * (Math.log((1 + texts.length) / (1 + having.get(word)!)) + 1));
    const length = Math.hypot(...row.values());
    return new Map([...row].map(([word, value]) => [word, value / length]));
  });
  return bySums(rows, rows);
}

/** BM25 (Robertson, Zaragoza 2009) with k1 = 1.2 and b = 0.75, asked with each word of the product's own text once. */
export function byBm25(texts: readonly string[]): NearestTo {
  const documents = texts.map(wordCounts);
  const having = documentCounts(documents);
  const lengths = documents.map((words) => [...words.values()].reduce((sum, times) => sum + times, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const rows = documents.map((words, d) => {
    const norm = 1.2 * (0.25 + (0.75 * lengths[d]!) / mean);
    return new Map(
      [...words].map(([word, times]) => {
        const n = having.get(word)!;
        return [word, Math.log(1 + (texts.length - n + 0.5) / (n + 0.5)) * ((times * 2.2) / (times + norm))];
      }),
    );
  });
  return bySums(
    documents.map((words) => new Map([...words.keys()].map((word) => [word, 1]))),
    rows,
  );
}

/** By the sum over shared words of query value times row value. */
function bySums(queries: readonly Counts[], rows: readonly Counts[]): NearestTo {
  const byWord = new Map<string, { row: number; value: number }[]>();
  for (const [row, words] of rows.entries()) {
    for (const [word, value] of words) {
      const list = byWord.get(word);
      if (list === undefined) byWord.set(word, [{ row, value }]);
      else list.push({ row, value });
    }
  }
  const sums = new Float64Array(rows.length);
  const best = createTopK();
  return (index, k) => {
    sums.fill(0);
    for (const [word, weight] of queries[index]!)
      for (const { row, value } of byWord.get(word) ?? []) sums[row]! += weight * value;
    best.reset(k);
    for (const [row, sum] of sums.entries()) if (row !== index && sum > 0) best.offer(row, sum);
    return [...best.take().indices];
  };
}
