import type { Readable } from "node:stream";
import type { JsonValue } from "@bufbuild/protobuf";
import type { FetchFeed } from "../catalog/feed/fetch-feed.js";
import type { Output } from "./output.js";

/** The parts of the process that every command gets. */
export interface CommandDeps {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Rejects with an AbortError when the signal fires. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Stops commands that run until interrupted (`events tail --follow`): ends calls under way and refuses new ones. */
  readonly signal?: AbortSignal;
  /** Reads feeds by https. */
  readonly feedSource: (options: { readonly allowPrivate: boolean }) => FetchFeed;
  /** Is given each message that a server answers. */
  readonly onAnswer?: (answer: () => JsonValue) => void;
}
