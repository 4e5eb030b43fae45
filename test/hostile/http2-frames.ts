/**
 * HTTP/2 frames as bytes (RFC 9113), for peers that do what no client library would. Header blocks are HPACK literals
 * without indexing (RFC 7541, 6.2.2), so that a block's meaning depends on nothing that was sent before.
 */

/** What a client sends first. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** At its place the number of each type. */
const TYPES = [
  "data",
  "headers",
  "priority",
  "resetStream",
  "settings",
  "pushPromise",
  "ping",
  "goAway",
  "windowUpdate",
  "continuation",
] as const;

export type FrameType = (typeof TYPES)[number];

export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;

export function frame(type: FrameType, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(TYPES.indexOf(type), 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Bytes of a 32-bit number: an error code, a window's increment. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Values of a SETTINGS frame by their numbers; 4 is the window that streams begin with. */
export function settings(values: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const pairs = values.map(([id, value]) => Buffer.from([id >> 8, id & 0xff, ...word(value)]));
  return frame("settings", 0, 0, Buffer.concat(pairs));
}

/** A header block. */
export function headerBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** A number with a prefix of seven bits (RFC 7541, 5.1). */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** The headers of a gRPC call. */
export function callHeaders(path: string, more: readonly (readonly [string, string])[] = []): Buffer {
  return headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "localhost"],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ...more,
  ]);
}

/** The frames' types and stream ids in what a server sent. */
export function framesIn(
  bytes: Buffer,
): { readonly type: FrameType | undefined; readonly streamId: number; readonly payload: Buffer }[] {
  const frames = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (at + 9 + length > bytes.length) break;
    const type = TYPES[bytes.readUInt8(at + 3)];
    frames.push({ type, streamId: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, at + 9 + length) });
    at += 9 + length;
  }
  return frames;
}

/** What a client sends first, and more. */
export function opening(...frames: readonly Uint8Array[]): Buffer {
  return Buffer.concat([PREFACE, settings(), ...frames]);
}

/** Frames for so many streams, each made for its id. */
export function streams(count: number, of: (id: number) => readonly Buffer[]): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, n) => Buffer.concat(of(2 * n + 1))));
}
