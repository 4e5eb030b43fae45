// What the client packages need to know about the contract: its services, which calls may be repeated, which lists have pages.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { bin, Failure, root, run } from "../lib.mjs";

/** Fields that make a repeated call safe: the server carries out one call for each value. */
export const KEY_FIELDS = ["request_id", "idempotency_key"];

/** The field of a request that says how long the server may wait before it answers. */
export const WAIT_FIELD = "timeout";

/** Names that take no plural. */
const SINGULAR = new Set(["Catalog", "Health", "Privacy"]);

/**
 * Reads the contract. `image` are the bytes of its FileDescriptorSet, with comments and imports.
 *
 * A method: `kind` is unary, client_streaming, server_streaming or bidi_streaming; `safe` when it changes nothing; `key`
 * the request's field that makes a repetition safe; `page` the answer's list when the method has pages.
 */
export async function readContract() {
  const folder = mkdtempSync(join(tmpdir(), "aisle-contract-"));
  try {
    const path = join(folder, "aisle.binpb");
    const args = ["build", join(root, "proto"), "--as-file-descriptor-set", "--output", path];
    const { code, output } = await run(bin("buf"), args, { quiet: true });
    if (code !== 0) throw new Failure(`proto/ does not compile\n${output.trimEnd()}`);
    const image = readFileSync(path);
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
    const files = [...registry.files].filter((file) => file.proto.package === "aisle.v1");
    const services = files.flatMap((file) => file.services).map(describeService);
    const reasons = registry.getEnum("aisle.v1.ErrorReason");
    return {
      image,
      files,
      services: services.sort((a, b) => (a.name < b.name ? -1 : 1)),
      messages: files.flatMap((file) => file.messages),
      enums: files.flatMap((file) => file.enums),
      reasons: reasons && reasonNames(reasons),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeService(service) {
  const noun = service.name.replace(/Service$/, "");
  return {
    name: service.name,
    fullName: service.typeName,
    file: service.file.proto.name,
    /** Guessable name of its client, in PascalCase: `Events`, `Catalog`. */
    plural: SINGULAR.has(noun) ? noun : `${noun}s`,
    methods: service.methods.map(describeMethod),
  };
}

function describeMethod(method) {
  const safe = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const idempotent = method.idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT;
  const key = method.input.fields.find(({ name }) => KEY_FIELDS.includes(name));
  if (safe && key) throw new Failure(`${method.input.typeName}.${key.name}: a read would be filled with a key`);
  const isStreamed = method.methodKind !== "unary";
  return {
    name: method.name,
    path: `/${method.parent.typeName}/${method.name}`,
    kind: method.methodKind,
    input: method.input,
    output: method.output,
    safe,
    key: isStreamed ? undefined : key,
    waits: method.input.fields.some(({ name }) => name === WAIT_FIELD),
    /** A repetition does nothing twice: the call is safe, or the packages fill its key. */
    repeatable: method.methodKind !== "client_streaming" && (safe || idempotent || (key !== undefined && !isStreamed)),
    page: isStreamed ? undefined : pageOf(method),
    comment: commentOf(method),
  };
}

/** What proto/ says of a method. */
function commentOf({ parent, name }) {
  const file = parent.file.proto;
  const path = [SERVICE, file.service.indexOf(parent.proto), METHOD, parent.methods.findIndex((m) => m.name === name)];
  const place = file.sourceCodeInfo?.location.find((each) => each.path.join() === path.join());
  return (place?.leadingComments ?? "").replace(/^ /gm, "").trim();
}

/** Field numbers in google/protobuf/descriptor.proto. */
const SERVICE = 6;
const METHOD = 2;

/** The one list of an answer with pages. */
function pageOf({ input, output }) {
  const hasField = (message, name) => message.fields.some((field) => field.name === name);
  if (!hasField(input, "page_token") || !hasField(output, "next_page_token")) return undefined;
  const lists = output.fields.filter((field) => field.fieldKind === "list" && field.listKind === "message");
  if (lists.length !== 1) throw new Failure(`${output.typeName}: a page has one list, this one has ${lists.length}`);
  return lists[0];
}

/** Reasons as ErrorInfo spells them: the enum's names without its prefix. */
function reasonNames({ values }) {
  return values.filter(({ number }) => number !== 0).map(({ name }) => name.replace(/^ERROR_REASON_/, ""));
}

/** The gRPC service config: which calls a client repeats when the server is away, and how long a call may take at most. */
export function serviceConfig({ services }) {
  const methods = services.flatMap(({ fullName, methods }) =>
    methods.map((method) => ({ ...method, id: { service: fullName, method: method.name } })),
  );
  const ids = (wanted) => methods.filter(wanted).map(({ id }) => id);
  const isShort = ({ kind, waits }) => kind === "unary" && !waits;
  const entries = [
    { name: ids((method) => isShort(method) && method.repeatable), timeout: LONGEST, retryPolicy: RETRY },
    { name: ids((method) => !isShort(method) && method.repeatable), retryPolicy: RETRY },
    { name: ids((method) => isShort(method) && !method.repeatable), timeout: LONGEST },
  ];
  return {
    methodConfig: entries.filter(({ name }) => name.length > 0),
    retryThrottling: { maxTokens: 10, tokenRatio: 0.1 },
  };
}

/** The longest time of a unary call that does not wait for other work. */
const LONGEST = "60s";

/** How a repeatable call is retried, in milliseconds; maxAttempts counts the first one. */
export const retry = { maxAttempts: 4, initialBackoffMs: 100, maxBackoffMs: 2000, backoffMultiplier: 3 };

const RETRY = {
  maxAttempts: retry.maxAttempts,
  initialBackoff: `${retry.initialBackoffMs / 1000}s`,
  maxBackoff: `${retry.maxBackoffMs / 1000}s`,
  backoffMultiplier: retry.backoffMultiplier,
  retryableStatusCodes: ["UNAVAILABLE"],
};
