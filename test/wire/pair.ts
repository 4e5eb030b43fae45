import { readdirSync, readFileSync } from "node:fs";
import type { JsonValue } from "@bufbuild/protobuf";
import { differences } from "./match.js";
import { callRpc } from "./rpc.js";
import type { Fault, OpenWireTarget, WireRequest, WireTarget } from "./target.js";

/** A part of a body: text, text many times, or bytes in hex. */
type Part = string | { readonly repeat: string; readonly times: number } | { readonly hex: string };

interface RestRequest {
  readonly method: WireRequest["method"];
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, or parts of it. */
  readonly body?: string | readonly Part[];
  /** Fields to be encoded as a form; sets the content type. */
  readonly form?: Readonly<Record<string, string>>;
  /** A value to be encoded as JSON; sets the content type. */
  readonly json?: unknown;
}

interface RpcRequest {
  readonly rpc: string;
  readonly message: JsonValue;
}

interface RestResponse {
  readonly status: number;
  /** Those that count. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** All of the JSON body, or all of the text when it is no JSON. */
  readonly body?: unknown;
}

interface RpcResponse {
  /** Of the message in protobuf JSON, what counts. */
  readonly message: unknown;
}

/** Something that happens before. A REST request must answer 200, unless `status` says otherwise. */
type Step =
  | { readonly request: RestRequest; readonly times?: number; readonly status?: number; readonly save?: string }
  | RpcRequest
  | { readonly fault: Fault }
  | { readonly advanceMs: number };

/** One golden pair: after `given`, `request` is answered by `response`. */
export interface Pair {
  /** Name in rows.json of the row of the contract it shows. */
  readonly row: string;
  /** What it shows, in words. */
  readonly note: string;
  readonly publicUrl?: string;
  readonly given?: readonly Step[];
  readonly request: RestRequest | RpcRequest;
  readonly response: RestResponse | RpcResponse;
}

/** All pairs of this folder with the file they are in. */
export function readPairs(): { readonly file: string; readonly pair: Pair }[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".json") && file !== "rows.json")
    .sort()
    .flatMap((file) => {
      const pairs: readonly Pair[] = JSON.parse(readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
      return pairs.map((pair) => ({ file, pair }));
    });
}

/** Plays a pair against a new target. What differs, as lines; empty when the answer is as it should be. */
export async function play(pair: Pair, open: OpenWireTarget): Promise<string[]> {
  const target = await open({ publicUrl: pair.publicUrl });
  try {
    const saved = new Map<string, string>();
    for (const [index, step] of (pair.given ?? []).entries()) {
      const trouble = await take(step, target, saved);
      if (trouble !== undefined) return [`given[${index}]: ${trouble}`];
    }
    return await compare(pair, target, saved);
  } finally {
    await target.close();
  }
}

async function take(step: Step, target: WireTarget, saved: Map<string, string>): Promise<string | undefined> {
  if ("fault" in step) target.fault(step.fault);
  else if ("advanceMs" in step) target.advance(step.advanceMs);
  else if ("rpc" in step) {
    const outcome = await callRpc(target.transport, step.rpc, step.message);
    if ("error" in outcome) return outcome.error;
  } else {
    for (let n = 0; n < (step.times ?? 1); n++) {
      const answer = await target.inject(encode(step.request, saved));
      if (answer.status !== (step.status ?? 200)) return `answered ${answer.status} ${answer.body}`;
      if (step.save !== undefined) saved.set(step.save, String(answer.headers["x-service-event-id"]));
    }
  }
  return undefined;
}

async function compare(pair: Pair, target: WireTarget, saved: ReadonlyMap<string, string>): Promise<string[]> {
  if ("rpc" in pair.request) {
    const outcome = await callRpc(target.transport, pair.request.rpc, withSaved(pair.request.message, saved));
    return differences(outcome, pair.response, { others: "ignored", saved });
  }
  const answer = await target.inject(encode(pair.request, saved));
  if (!("status" in pair.response)) return ["a REST request needs a response with a status"];
  const { status, headers, body } = pair.response;
  return [
    ...differences(answer.status, status, { others: "refused", saved }, "status"),
    ...differences(answer.headers, headers ?? {}, { others: "ignored", saved }, "headers"),
    ...(body === undefined ? [] : differences(decode(answer.body), body, { others: "refused", saved }, "body")),
  ];
}

function encode(request: RestRequest, saved: ReadonlyMap<string, string>): WireRequest {
  const { method, url, headers = {}, body, form, json } = request;
  if (form !== undefined) {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) text.append(name, filled(value, saved));
    return { method, url, headers: { ...type, ...headers }, body: Buffer.from(text.toString()) };
  }
  if (json !== undefined) {
    const type = { "content-type": "application/json" };
    return { method, url, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(json)) };
  }
  if (body === undefined) return { method, url, headers, body: undefined };
  return { method, url, headers, body: typeof body === "string" ? Buffer.from(body) : Buffer.concat(body.map(bytes)) };
}

function bytes(part: Part): Buffer {
  if (typeof part === "string") return Buffer.from(part);
  return "hex" in part ? Buffer.from(part.hex, "hex") : Buffer.from(part.repeat.repeat(part.times));
}

/** Replaces `$saved:name` by what was saved. */
function filled(text: string, saved: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$saved:(\w+)/g, (whole, name: string) => saved.get(name) ?? whole);
}

function withSaved(message: JsonValue, saved: ReadonlyMap<string, string>): JsonValue {
  return saved.size === 0 ? message : JSON.parse(filled(JSON.stringify(message), saved));
}

function decode(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
