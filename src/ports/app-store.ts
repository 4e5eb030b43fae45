import type { App } from "../domain/app.js";
import type { FrameConfiguration } from "../domain/frame.js";

/** Apps and their frame configurations. */
export interface AppStore {
  /** False, and nothing done, when the id is taken. */
  create(app: App): Promise<boolean>;
  get(appId: string): Promise<App | undefined>;
  /** Up to `limit` apps with ids greater than `after`, in order of ids. */
  list(after: string, limit: number): Promise<App[]>;
  /** False when there is none. */
  update(app: App): Promise<boolean>;
  /** Removes the app and everything of it: events, contacts, products, models. False when there is none. */
  delete(appId: string): Promise<boolean>;
  getFrame(appId: string, frameId: string): Promise<FrameConfiguration | undefined>;
  listFrames(appId: string, after: string, limit: number): Promise<FrameConfiguration[]>;
  putFrame(appId: string, frame: FrameConfiguration): Promise<void>;
  /** False when there is none. */
  deleteFrame(appId: string, frameId: string): Promise<boolean>;
}
