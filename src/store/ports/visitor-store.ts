import type { FrameExposure } from "../../domain/frame-exposure.js";
import type { VisitorKey } from "../../domain/ids.js";
import type { Visitor } from "../../domain/visitor.js";

/** Reads visitors. A unit of work writes them. */
export interface VisitorStore {
  /** The distinct visitors with these keys, in the order of the keys. */
  find(appId: string, keys: readonly VisitorKey[]): Promise<Visitor[]>;
  /** The visitors with these ids, in their order, as far as they are there. */
  get(appId: string, visitorIds: readonly string[]): Promise<Visitor[]>;
  /** What a visitor met of frames. */
  exposure(appId: string, key: VisitorKey): Promise<FrameExposure | undefined>;
}
