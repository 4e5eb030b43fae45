/**
 * Watches an app by many streams, in a process of its own. Started with the address of the RPC port, the app, the number of
 * streams, and `decode` or `bytes`. Says `ready` when all have begun; on a message it says what it has got, and ends. A few streams
 * are decoded, to know how late their events are. Streams read as bytes take less of the machine.
 */
import { connect } from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { WatchEventsRequestSchema, WatchEventsResponseSchema } from "../../src/gen/aisle/v1/event_service_pb.js";

const STREAMS_OF_A_CONNECTION = 10;
const PREFIX_BYTES = 5;
const WINDOW_BYTES = 2 ** 20;

export interface Consumed {
  /** From the receipt of an event to its arrival, ms. */
  readonly delayMs: readonly number[];
  readonly events: number;
  readonly bytes: number;
  readonly longestToken: number;
  /** Streams that ended by themselves, with their status. */
  readonly ended: readonly string[];
}

const [url = "", appId = "", count = "0", how = "bytes"] = process.argv.slice(2);
const delayMs: number[] = [];
const ended: string[] = [];
let events = 0;
let bytes = 0;
let longestToken = 0;
let begun = 0;

const message = toBinary(WatchEventsRequestSchema, create(WatchEventsRequestSchema, { appId }));
const request = Buffer.concat([Buffer.alloc(PREFIX_BYTES), message]);
request.writeUInt32BE(message.length, 1);

function watch(session: ReturnType<typeof connect>): void {
  const stream = session.request({
    ":method": "POST",
    ":path": "/aisle.v1.EventService/WatchEvents",
    "content-type": "application/grpc",
    te: "trailers",
  });
  let rest: Buffer = Buffer.alloc(0);
  stream.on("trailers", (trailers) => ended.push(String(trailers["grpc-status"])));
  stream.on("error", (error) => ended.push(error.message));
  stream.once("data", () => {
    if (++begun === Number(count)) process.send?.("ready");
  });
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (how !== "decode") return;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= PREFIX_BYTES && rest.length >= PREFIX_BYTES + rest.readUInt32BE(1)) {
      const end = PREFIX_BYTES + rest.readUInt32BE(1);
      const got = fromBinary(WatchEventsResponseSchema, rest.subarray(PREFIX_BYTES, end));
      rest = rest.subarray(end);
      const at = Date.now();
      longestToken = Math.max(longestToken, got.resumeToken.length);
      events += got.events.length;
      for (const { receiveTime } of got.events)
        if (receiveTime !== undefined) delayMs.push(at - timestampMs(receiveTime));
    }
  });
  stream.end(request);
}

for (let n = 0; n < Number(count); n += STREAMS_OF_A_CONNECTION) {
  const session = connect(url, { settings: { initialWindowSize: WINDOW_BYTES } });
  session.on("connect", () => session.setLocalWindowSize(16 * WINDOW_BYTES));
  session.on("error", (error) => ended.push(error.message));
  for (let k = n; k < Math.min(Number(count), n + STREAMS_OF_A_CONNECTION); k++) watch(session);
}
process.on("message", () => {
  const consumed: Consumed = { delayMs, events, bytes, longestToken, ended };
  process.send?.(consumed, () => process.exit(0));
});
