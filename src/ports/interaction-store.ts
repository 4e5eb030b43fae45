import type { Interaction, VisitorHistory } from "../domain/interaction.js";

/** Reads visitors' histories. They are written in a unit of work. */
export interface InteractionStore {
  /** The newest `limit` interactions of these visitor ids together, newest first. */
  recent(appId: string, visitorIds: readonly string[], limit: number): Promise<Interaction[]>;
  /** Every visitor's history, whole, in order of visitor ids; several visitors a batch. */
  scan(appId: string): AsyncIterable<readonly VisitorHistory[]>;
}
