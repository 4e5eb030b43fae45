import type { Visitor, VisitorKey } from "../domain/visitor.js";

/** Reads visitors. They are written in a unit of work. */
export interface VisitorStore {
  /** The distinct visitors these keys belong to, in the order of the keys. */
  find(appId: string, keys: readonly VisitorKey[]): Promise<Visitor[]>;
}
