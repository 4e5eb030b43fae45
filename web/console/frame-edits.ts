import { Code, ConnectError } from "@connectrpc/connect";
import { useState } from "preact/hooks";
import type { FrameConfiguration } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { useSurroundings } from "./context.js";
import { pagesOf } from "./pages-of.js";
import { type Edit, withPinsOf } from "./pins.js";
import { type Load, useAction, useLoad } from "./use-load.js";

/** All frames of an app, `default` first. */
export function useFrames(appId: string): Load<readonly FrameConfiguration[]> {
  const { clients } = useSurroundings();
  return useLoad(
    (signal) =>
      pagesOf(async (pageToken) => {
        const page = await clients.apps.listFrameConfigurations({ appId, pageSize: 1000, pageToken }, { signal });
        return { items: page.frameConfigurations, nextPageToken: page.nextPageToken };
      }),
    [appId],
  );
}

/** Frames whose pins and bans can be changed beside a product. */
export interface FrameEdits {
  readonly frames: readonly FrameConfiguration[];
  /** The frame that is offered first. */
  readonly current: string;
  readonly isRunning: boolean;
  readonly error: unknown;
  /** What was done last, with the way back. */
  readonly said: string;
  readonly undo: (() => void) | undefined;
  /** Grows with each change, so that answers are asked for again. */
  readonly revision: number;
  change(edit: Edit, frameIds: readonly string[]): void;
}

/** Writes each change as the next version of its frames, unless somebody else has changed them since they were read. */
export function useFrameEdits(
  appId: string,
  loaded: Load<readonly FrameConfiguration[]>,
  current = "default",
): FrameEdits {
  const { clients } = useSurroundings();
  const frames = loaded.value ?? [];
  const [said, setSaid] = useState("");
  const [before, setBefore] = useState<readonly FrameConfiguration[]>([]);
  const [revision, setRevision] = useState(0);
  const write = useAction(async (edit: Edit, frameIds: readonly string[]) => {
    const written: FrameConfiguration[] = [];
    setSaid("");
    try {
      for (const frame of frames.filter(({ frameId }) => frameIds.includes(frameId))) {
        const changed = edit.of(frame);
        if (changed === frame) continue;
        await clients.apps.setFrameConfiguration({ appId, frameConfiguration: changed, etag: frame.etag });
        written.push(frame);
      }
      setSaid(`${edit.said}.`);
    } catch (error) {
      if (written.length > 0) setSaid(`Only ${written.map(({ frameId }) => frameId).join(", ")} is changed.`);
      throw isOutdated(error) ? new ConnectError(OUTDATED, Code.Aborted) : error;
    } finally {
      setBefore(written);
      setRevision((number) => number + 1);
      loaded.again();
    }
  });
  const undo = () =>
    write.run(
      { said: "Undone", of: (frame) => restored(frame, before) },
      before.map(({ frameId }) => frameId),
    );
  return {
    frames,
    current,
    isRunning: write.isRunning || loaded.isLoading,
    error: write.error,
    said,
    revision,
    undo: before.length > 0 && said !== "" ? undo : undefined,
    change: write.run,
  };
}

const OUTDATED =
  "Somebody else has changed a frame since this page read it. It is read again: look, and repeat the change.";

function isOutdated(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Aborted;
}

function restored(frame: FrameConfiguration, before: readonly FrameConfiguration[]): FrameConfiguration {
  const earlier = before.find(({ frameId }) => frameId === frame.frameId);
  return earlier === undefined ? frame : withPinsOf(frame, earlier);
}
