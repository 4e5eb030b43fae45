/** What is wrong with the query of a read by GET (Connect, "Unary-Get-Request"). Connect ignores what it does not know. */
import type { DescMessage } from "@bufbuild/protobuf";
import { InvalidArgument } from "../../domain/errors.js";
import { compressionOf } from "./call-format.js";

/** What each parameter accepts, as errors say it. */
const ACCEPTED: ReadonlyMap<string, readonly [isFine: (value: string) => boolean, accepted: string]> = new Map([
  ["connect", [(value: string) => value === "v1", "accepted is v1"]],
  ["encoding", [(value: string) => value === "json" || value === "proto", "accepted are json and proto"]],
  ["base64", [(value: string) => value === "1", "accepted is 1"]],
  ["compression", [(value: string) => compressionOf(value) !== undefined, "accepted are gzip, br and identity"]],
  ["message", [() => true, ""]],
]);

/** A name that may be repeated to its sender; other text could be somebody's data. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export function queryFault(url: string, message: DescMessage): InvalidArgument | undefined {
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  const seen = new Set<string>();
  for (const [name, value] of query) {
    const known = ACCEPTED.get(name);
    const shown = known !== undefined || NAME.test(name) ? name : "a parameter that is unknown";
    if (known === undefined)
      return new InvalidArgument(shown, "invalid", `accepted are ${[...ACCEPTED.keys()].join(", ")}`);
    if (seen.has(name)) return new InvalidArgument(name, "invalid", "accepted once");
    seen.add(name);
    const [isFine, accepted] = known;
    if (!isFine(value)) return new InvalidArgument(name, "invalid", accepted);
  }
  for (const name of ["encoding", "message"]) if (!seen.has(name)) return new InvalidArgument(name, "missing");
  return messageFault(query, message);
}

function messageFault(query: URLSearchParams, { typeName }: DescMessage): InvalidArgument | undefined {
  const text = query.get("message") ?? "";
  if (query.get("base64") === "1")
    return BASE64.test(text) ? undefined : new InvalidArgument("message", "invalid", "accepted is base64");
  const isPlain = compressionOf(query.get("compression") ?? "") === "identity";
  if (query.get("encoding") !== "json" || !isPlain || isJson(text)) return undefined;
  return new InvalidArgument("message", "invalid", `accepted is JSON of ${typeName}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The parser quotes the text.
    return false;
  }
}
