import type { Interaction, VisitorHistory } from "../../domain/interaction.js";

/** Reads visitors' histories. A unit of work writes them. */
export interface InteractionStore {
  /** The newest `limit` interactions of these visitor ids together, newest first. */
  recent(appId: string, visitorIds: readonly string[], limit: number): Promise<Interaction[]>;
  /** Every visitor's complete history, in order of visitor ids; a batch holds several visitors. */
  scan(appId: string): AsyncIterable<readonly VisitorHistory[]>;
}
