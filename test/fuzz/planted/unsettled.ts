/** Never settles when the input has two `!`. */
export const seeds = ["a! b"];

export function fuzz(bytes: Buffer): Promise<void> | undefined {
  return bytes.toString("latin1").split("!").length > 2 ? new Promise(() => undefined) : undefined;
}
