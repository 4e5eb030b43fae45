/**
 * What the leaderboard says to a server, as JSON by POST; docs/quality.md describes it for those who add theirs. An
 * answer of another status than 200 ends the run.
 */

/** POST /train: learn from a file. The answer comes when the server can recommend. */
export interface TrainCall {
  readonly dataSet: string;
  /** Path of a CSV with the columns visitor, type, product_id, timestamp, order_id. */
  readonly events: string;
  /** Path of a gzip CSV of products; "" without one. */
  readonly products: string;
}

export interface TrainAnswer {
  /** Its peak of memory is read from /proc, where there is one. */
  readonly processId?: number;
}

export interface HistoryStep {
  readonly type: "product_view" | "add_to_cart" | "order";
  readonly product: string;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** POST /recommend: what comes next? */
export interface RecommendCall {
  /** Oldest first. */
  readonly history: readonly HistoryStep[];
  /** The product on the page; "" for none. */
  readonly current: string;
  /** Whether products of the history may come again. */
  readonly repeats: boolean;
  readonly count: number;
}

export interface RecommendAnswer {
  /** Best first. */
  readonly products: readonly string[];
}

/** The answer's body; throws for another status than 200. */
export async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
