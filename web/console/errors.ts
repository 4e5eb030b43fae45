import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "../../src/gen/google/rpc/error_details_pb.js";

/** An error as text for people. */
export function errorText(error: unknown): string {
  const { code, rawMessage } = ConnectError.from(error);
  if (code === Code.Unauthenticated) return "The server does not know this token";
  if (code === Code.PermissionDenied) return `Your token does not allow this: ${rawMessage}`;
  if (code === Code.Unavailable || (code === Code.Unknown && /fetch/i.test(rawMessage)))
    return "The server does not answer";
  return rawMessage;
}

/** Faults by the field's path in the request, for example `frame_configuration.diversity`. */
export function fieldFaults(error: unknown): ReadonlyMap<string, string> {
  if (error === undefined) return new Map();
  const details = ConnectError.from(error).findDetails(BadRequestSchema);
  const violations = details.flatMap(({ fieldViolations }) => fieldViolations);
  return new Map(violations.map(({ field, description }) => [contractPath(field), description || "Is needed."]));
}

/** Calls with JSON get paths in camel case. */
function contractPath(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
