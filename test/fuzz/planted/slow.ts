/** Takes time that is exponential in the number of `a`. */
export const seeds = ["aaa!"];

export function fuzz(bytes: Buffer): void {
  const text = bytes.toString("latin1").slice(0, 34);
  /^(?:a|a)*$/.test(`${text.replace(/[^a]/g, "").slice(0, 27)}!`);
}
