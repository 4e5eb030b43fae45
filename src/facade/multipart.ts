import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Refused, TEXT } from "./errors.js";
import { addField, emptyForm, type Form } from "./form.js";

/** Longest name of a part that is read, in bytes. */
const MAX_NAME_BYTES = 255;

/** Most parts read, empty ones included: a part costs ten times what a field of a form costs. */
const MAX_PARTS = 256;

/** The parser is given so many bytes at a time: what follows the last part that counts is not looked at. */
const PIECE_BYTES = 16 * 1024;

/**
 * Reads `multipart/form-data` from a body that is already in memory (and so within the body limit). Text parts are
 * fields, by the same rules and limits as a urlencoded form; files are dropped and counted, and so is all that follows
 * MAX_PARTS parts, as one. A body that ends too early gives the fields before its end. Rejects with Refused when the content type has no boundary.
 */
export function readMultipart(contentType: string, body: Buffer): Promise<Form> {
  return new Promise((resolve, reject) => {
    const form = emptyForm();
    const parser = openParser(contentType, body.length);
    if (parser === undefined) return reject(new Refused(400, TEXT.invalidBody));
    parser.on("field", (name, value) => addField(form, name, value));
    parser.on("file", (_name, stream) => {
      form.droppedFields++;
      // A broken part ends its stream with an error; the parser reports the same one.
      stream.on("error", () => resolve(form));
      stream.resume();
    });
    let isOver = false;
    // The parser delivers the field before in the next tick.
    const end = () => {
      isOver = true;
      setImmediate(resolve, form);
    };
    parser.on("partsLimit", () => {
      form.droppedFields++;
      end();
    });
    parser.on("error", end);
    parser.on("finish", end);
    const feed = (from: number) => {
      if (isOver) return;
      if (from >= body.length) parser.end();
      else parser.write(body.subarray(from, from + PIECE_BYTES), () => feed(from + PIECE_BYTES));
    };
    feed(0);
  });
}

function openParser(contentType: string, size: number): BusboyInstance | undefined {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      limits: { fieldNameSize: MAX_NAME_BYTES, fieldSize: size, headerPairs: 16, parts: MAX_PARTS },
    });
  } catch {
    // the answer says that the body is malformed
    return undefined;
  }
}
