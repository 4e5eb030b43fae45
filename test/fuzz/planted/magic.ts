/** Throws at one of 4 billion beginnings: random inputs alone do not find it. */
export const seeds = ["hello there"];

export function fuzz(bytes: Buffer): void {
  if (bytes[0] !== 0x46) return;
  if (bytes[1] !== 0x75) return;
  if (bytes[2] !== 0x7a) return;
  if (bytes[3] !== 0x21) return;
  throw new Error("the planted fault");
}
