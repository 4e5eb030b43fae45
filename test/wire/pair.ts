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
  /** `$saved:name` in its texts is what an earlier step saved. */
  readonly message: JsonValue;
}

/** Keeps a text of an RPC's answer, for example `model.modelId`, under the name `as`. */
interface RpcStep extends RpcRequest {
  readonly save?: { readonly path: string; readonly as: string };
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

/**
 * Something that happens before. A REST request must answer 200, unless `status` says otherwise. Of one that is sent
 * `times` times, `$n` in the values of its form is 0, 1, 2 and so on; they are sent without waiting for one another.
 */
type Step =
  | { readonly request: RestRequest; readonly times?: number; readonly status?: number; readonly save?: string }
  | RpcStep
  | { readonly fault: Fault }
  | { readonly advanceMs: number };

/** One golden pair: after `given`, `request` is answered by `response`. */
export interface Pair {
  /** Name in rows.json of the row of the contract it shows. */
  readonly row: string;
  /** What it shows, in words. */
  readonly note: string;
  readonly publicUrl?: string;
  /** Name of steps in shops.json that come before `given`. */
  readonly shop?: string;
  readonly given?: readonly Step[];
  readonly request: RestRequest | RpcRequest;
  readonly response: RestResponse | RpcResponse;
}

const NO_PAIRS: ReadonlySet<string> = new Set(["rows.json", "interface.json", "shops.json"]);

/** Steps that several pairs have in common, by name. */
const shops: Readonly<Record<string, readonly Step[]>> = JSON.parse(
  readFileSync(`${import.meta.dirname}/shops.json`, "utf8"),
);

/** All pairs of this folder with the file they are in. */
export function readPairs(): { readonly file: string; readonly pair: Pair }[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".json") && !NO_PAIRS.has(file))
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
    const shop = pair.shop === undefined ? [] : shops[pair.shop];
    if (shop === undefined) return [`there is no shop ${pair.shop}`];
    for (const [index, step] of [...shop, ...(pair.given ?? [])].entries()) {
      const trouble = await take(step, target, saved);
      if (trouble !== undefined) return [`step ${index}: ${trouble}`];
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
    const outcome = await callRpc(target.transport, step.rpc, withSaved(step.message, saved));
    if ("error" in outcome) return outcome.error;
    if (step.save !== undefined) saved.set(step.save.as, textAt(outcome.message, step.save.path));
  } else {
    const rounds = Array.from({ length: step.times ?? 1 }, (_, n) => target.inject(encode(step.request, saved, n)));
    for (const answer of await Promise.all(rounds)) {
      if (answer.status !== (step.status ?? 200)) return `answered ${answer.status} ${answer.body}`;
      if (step.save !== undefined) saved.set(step.save, String(answer.headers["x-service-event-id"]));
    }
  }
  return undefined;
}

/** The text at a path of names with dots between them, "" when there is none. */
function textAt(message: JsonValue, path: string): string {
  let value: unknown = message;
  for (const name of path.split(".")) {
    value = typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return typeof value === "string" ? value : "";
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

function encode(request: RestRequest, saved: ReadonlyMap<string, string>, round = 0): WireRequest {
  const { method, url, headers = {}, body, form, json } = request;
  if (form !== undefined) {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) {
      text.append(name, filled(value, saved).replaceAll("$n", String(round)));
    }
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
