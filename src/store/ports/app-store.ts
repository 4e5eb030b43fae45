import type { App } from "../../domain/app.js";
import type { FrameConfiguration, FrameVersion } from "../../domain/frame.js";
import type { Claim } from "./unit-of-work.js";

/** A claim, and the key it is found by. */
export interface KeyedClaim {
  readonly key: string;
  readonly claim: Claim;
}

/** Apps and their frame configurations. To change them use a transaction: `Transaction.putApp`, `Transaction.frames`. */
export interface AppStore {
  /** Does nothing and returns false when the id is taken. `claim` is written with the app. */
  create(app: App, claim?: KeyedClaim): Promise<boolean>;
  get(appId: string): Promise<App | undefined>;
  /** Up to `limit` apps with ids greater than `after`, in order of ids. */
  list(after: string, limit: number): Promise<App[]>;
  /**
   * Removes the app and all its data: events, contacts, products, models. Returns false when there is no such app. `check`
   * gets the app in the transaction that removes it; when it throws, nothing is removed.
   */
  delete(appId: string, check?: (app: App) => void): Promise<boolean>;
  getFrame(appId: string, frameId: string): Promise<FrameConfiguration | undefined>;
  listFrames(appId: string, after: string, limit: number): Promise<FrameConfiguration[]>;
  /** The newest `KEPT_VERSIONS` versions of a frame, newest first; also of a deleted frame. */
  frameVersions(appId: string, frameId: string): Promise<FrameVersion[]>;
}
