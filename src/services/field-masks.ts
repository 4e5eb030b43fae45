import { InvalidArgument } from "../domain/errors.js";

/** The error for a path of a mask that names no field which can be changed. */
export function unknownPath(path: string, known: readonly string[]): InvalidArgument {
  const named = /^[a-z][a-z0-9_.]{0,99}$/.test(path) ? `${path} cannot be changed; ` : "";
  return new InvalidArgument("update_mask", "invalid", `${named}* or some of ${known.join(", ")}`);
}
