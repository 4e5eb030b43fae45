import type { Output } from "./output.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** True on a terminal, unless its user wants none (https://no-color.org). */
export function hasColour(output: Output, env: Environment): boolean {
  return output.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

export const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
export const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;
export const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
