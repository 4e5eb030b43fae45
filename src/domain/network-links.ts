/** A network prefix and the addresses that visitors were linked to from there on one day; all as keyed hashes. */
export interface NetworkTally {
  readonly network: string;
  readonly addresses: readonly string[];
}

/** Some networks of one app, those whose hashes share a slot. Links of an earlier day do not count. */
export interface NetworkLinks {
  /** Days since 1970, UTC; in the hour's own record hours. */
  readonly day: number;
  readonly tallies: readonly NetworkTally[];
  /** In the day's own record only: the key of its hashes. Without it they reveal nothing. */
  readonly secret: string;
  /** In the hour's own record only: links of that hour to contacts that the app knew. */
  readonly count: number;
}

/** The key of the day's own record. */
export const NETWORK_SECRET = "secret";

/** The key of the hour's own record. */
export const APP_HOUR = "hour";
