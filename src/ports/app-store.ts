import type { App } from "../domain/app.js";
import type { FrameConfiguration, FrameToWrite, FrameVersion } from "../domain/frame.js";

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
  /**
   * Writes the next version of a frame, and answers it. Rejects with Conflict("aborted") when the frame's version is not
   * `expectedVersion`, where it is given; 0 stands for a frame that is not there.
   */
  putFrame(appId: string, frame: FrameToWrite, expectedVersion?: number): Promise<FrameConfiguration>;
  /** False when there is none. Its versions stay, and one more says that it is gone since `at`. */
  deleteFrame(appId: string, frameId: string, at: number): Promise<boolean>;
  /** The versions of a frame, whether it is there or not: the newest `KEPT_VERSIONS`, newest first. */
  frameVersions(appId: string, frameId: string): Promise<FrameVersion[]>;
}
