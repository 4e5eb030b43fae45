/** One process's request counts for one rate limit of backend senders. */
export interface Tally {
  /** Names the limit, of an app or a network, without revealing the network. */
  readonly key: string;
  /** Id of this count, unique over all processes. */
  readonly count: string;
  /** Requests admitted since the count began. */
  readonly admitted: number;
  /** Recent requests, admitted or not; older ones weigh less. */
  readonly wanted: number;
  /** Requests that all processes together admitted beyond the rate so far, as this process knows. */
  readonly debt: number;
}

/** The tallies that one process shows the others. */
export interface TallySheet {
  /** A text unique to the process. */
  readonly holder: string;
  readonly tallies: readonly Tally[];
}

/**
 * Processes that share a store show each other the demand of their backend senders here. An exchange sees every sheet
 * written before it began. Sheets need not survive a restart.
 */
export interface TallyBoard {
  /** Replaces this process's sheet and returns the sheets of the others. */
  exchange(own: TallySheet): Promise<readonly TallySheet[]>;
  /** Removes the sheet of a process. */
  leave(holder: string): Promise<void>;
}
