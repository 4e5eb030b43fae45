import { StringDecoder } from "node:string_decoder";
import type { Source } from "./rows.js";

/** A line longer than this is refused, so that a file without line breaks cannot fill the memory. */
export const MAX_LINE_CHARS = 1_048_576;

export interface SourceLine extends Source {
  /** True when the line was longer than `MAX_LINE_CHARS`; `raw` holds its beginning. */
  readonly cut: boolean;
}

/** Makes lines of bytes. Holds at most one line. */
export interface LineSplitter {
  push(chunk: Uint8Array): SourceLine[];
  /** The last line, when the file does not end with a line break. */
  end(): SourceLine[];
}

/**
 * Splits UTF-8 at LF or CRLF. A byte order mark before the first line is dropped; bytes that are no UTF-8 become
 * U+FFFD.
 */
export function createLineSplitter(maxChars = MAX_LINE_CHARS): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let number = 0;
  let rest = "";
  let cut = false;
  let first = true;

  const line = (text: string): SourceLine => {
    number += 1;
    const wasCut = cut || text.length > maxChars;
    cut = false;
    const kept = wasCut ? text.slice(0, maxChars) : text;
    return { line: number, raw: kept.endsWith("\r") ? kept.slice(0, -1) : kept, cut: wasCut };
  };

  const take = (text: string): SourceLine[] => {
    const lines: SourceLine[] = [];
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      lines.push(line(rest + text.slice(from, at)));
      rest = "";
      from = at + 1;
    }
    rest += text.slice(from);
    if (rest.length > maxChars) {
      rest = rest.slice(0, maxChars);
      cut = true;
    }
    return lines;
  };

  return {
    push(chunk) {
      let text = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (first && text.length > 0) {
        first = false;
        if (text.startsWith("\uFEFF")) text = text.slice(1);
      }
      return take(text);
    },
    end() {
      const lines = take(decoder.end());
      if (rest.length > 0 || cut) lines.push(line(rest));
      rest = "";
      return lines;
    },
  };
}
