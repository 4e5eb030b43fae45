/** How many requests of an app's backend senders one process has let in. */
export interface Tally {
  readonly appId: string;
  /** Which count this is: a text that no other count has, of whatever process. */
  readonly count: string;
  /** Requests let in since the count began. */
  readonly admitted: number;
  /** Requests that wanted to be let in lately, each counting less the longer ago it came. */
  readonly wanted: number;
  /** Requests let in by all, as far as this process knows, that the rate has not made up for yet. */
  readonly debt: number;
}

/** What one process shows the others. */
export interface TallySheet {
  /** A text that no other process has. */
  readonly holder: string;
  readonly tallies: readonly Tally[];
}

/**
 * A board on which processes that share a store show each other what their backend senders ask for. What one has shown is
 * seen by each look that begins later; nothing is kept beyond that.
 */
export interface TallyBoard {
  /** Replaces what the process has shown before, and answers what the others show. */
  exchange(own: TallySheet): Promise<readonly TallySheet[]>;
  /** Takes the sheet of a process off. */
  leave(holder: string): Promise<void>;
}
