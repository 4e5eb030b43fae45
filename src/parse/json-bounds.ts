/** Looks at JSON before it is parsed: a parser takes many times longer for a text that is nothing but brackets and commas. */

export interface JsonBounds {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** Arrays and objects. */
  readonly containers: number;
  readonly commas: number;
}

/** Costs half of what parsing does; strings are passed over by a search for their end. */
export function isBeyondBounds(text: string, bounds: JsonBounds): boolean {
  let depth = 0;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      if (at === -1) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > bounds.depth || ++containers > bounds.containers) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++commas > bounds.commas) return true;
  }
  return false;
}

/** Where the string that begins at `start` has its closing quotation mark, -1 when it has none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
