import { UnusableFile } from "./feed-errors.js";

/** Makes text of the bytes of an XML document. Holds no more than its first line until it knows the encoding. */
export interface XmlDecoder {
  /** @throws UnusableFile for an unknown encoding */
  push(chunk: Uint8Array): string;
  end(): string;
}

/** The declaration stands in the first bytes, if anywhere. */
const HEAD_BYTES = 256;

/**
 * Reads the encoding from the declaration (`<?xml … encoding="ISO-8859-2"?>`), else takes UTF-8. Drops a byte order mark.
 * Bytes that are invalid in the encoding become U+FFFD.
 */
export function decoderFor(): XmlDecoder {
  let head = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const begin = (): string => {
    const [, name = "utf-8"] =
      /^\S*\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head.toString("latin1")) ?? [];
    try {
      // A declaration that could be read is not in a two-byte encoding.
      decoder = new TextDecoder(/^utf-?16/i.test(name) ? "utf-8" : name);
    } catch (error) {
      throw new UnusableFile("The encoding that the XML names is not known; UTF-8, ISO-8859-* and windows-125* are", {
        cause: error,
      });
    }
    return decoder.decode(head, { stream: true });
  };
  return {
    push(chunk) {
      if (decoder !== undefined) return decoder.decode(chunk, { stream: true });
      head = Buffer.concat([head, chunk]);
      return head.length < HEAD_BYTES && !head.includes("?>") ? "" : begin();
    },
    end() {
      const first = decoder === undefined ? begin() : "";
      return first + (decoder?.decode() ?? "");
    },
  };
}
