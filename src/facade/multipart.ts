import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refused, TEXT } from "./errors.js";
import { addField, emptyForm, type Form, joinLists } from "./form.js";

/** Maximum length of a part's name, in bytes. */
const MAX_NAME_BYTES = 255;

/** Maximum number of parts read, empty ones included: a part costs ten times as much as a form field. */
const MAX_PARTS = 256;

/** The parser gets so many bytes at a time, so that it reads nothing after the last part within the limit. */
const PIECE_BYTES = 16 * 1024;

/**
 * Reads `multipart/form-data` from a body in memory (and so within the body limit). Text parts are fields, with the
 * rules and limits of a urlencoded form. Files are dropped and counted; everything after MAX_PARTS parts is dropped and
 * counted as one. A truncated body gives the fields before its end. Rejects with Refused when the content type has no
 * boundary.
 */
export async function readMultipart(contentType: string, body: Buffer): Promise<Form> {
  const form = emptyForm();
  const parser = openParser(contentType, body.length);
  // Against its types, the parser passes on a part without a name.
  parser.on("field", (name: string | undefined, value) => addField(form, name ?? "", value));
  await new Promise<void>((resolve) => {
    let isOver = false;
    // The parser delivers the previous field in the next tick.
    const end = () => {
      isOver = true;
      setImmediate(resolve);
    };
    parser.on("file", (_name, stream) => {
      form.droppedFields++;
      // A broken part ends its stream with an error; the parser reports the same one.
      stream.on("error", end).resume();
    });
    parser.on("partsLimit", () => {
      form.droppedFields++;
      end();
    });
    parser.on("error", end).on("finish", end);
    const feed = (from: number) => {
      if (isOver) return;
      if (from >= body.length) parser.end();
      else parser.write(body.subarray(from, from + PIECE_BYTES), () => feed(from + PIECE_BYTES));
    };
    feed(0);
  });
  return joinLists(form);
}

function openParser(contentType: string, size: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      limits: { fieldNameSize: MAX_NAME_BYTES, fieldSize: size, headerPairs: 16, parts: MAX_PARTS },
    });
  } catch {
    // a content type without a boundary
    throw new Refused(400, TEXT.invalidBody);
  }
}
