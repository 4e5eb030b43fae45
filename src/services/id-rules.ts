import { InvalidArgument } from "../domain/errors.js";

const MAX_NAME = 255;

/** Allowed characters of app, frame and variant ids. */
export const ID_RULE = "1 to 64 of A-Z a-z 0-9 _ -";

/** Throws InvalidArgument for a name that is too long or contains control characters, which could steer a terminal. */
export function checkName(field: string, text: string): void {
  if (text !== "" && (Buffer.byteLength(text) > MAX_NAME || /\p{Cc}/u.test(text)))
    throw new InvalidArgument(field, "invalid", `at most ${MAX_NAME} bytes without control characters`);
}
