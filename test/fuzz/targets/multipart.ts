/** `multipart/form-data`: always settles, within the bounds, and the same when it is read again. */
import { deepStrictEqual, ok } from "node:assert";
import { Refused } from "../../../src/facade/errors.js";
import { FORM_LIMITS, type Form } from "../../../src/facade/form.js";
import { readMultipart } from "../../../src/facade/multipart.js";

const part = (head: string, value: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;

/** The first line is the content type. */
export const seeds = [
  `multipart/form-data; boundary=b\n${part('name="app_id"', "shop")}${part('name="email"', "ada@shop.example")}--b--\r\n`,
  `multipart/form-data; boundary="b"\n${part('name="f"; filename="x.txt"', "file")}${part("name=a", "1")}--b--`,
  `multipart/form-data; boundary=b; charset=utf-8\npre\r\n${part("name*=utf-8''%C3%A9", "x")}--b\r\n`,
];
export const dictionary = [
  "--b",
  "\r\n--b--\r\n",
  "\r\n--b\r\n",
  "\r\n\r\n",
  "Content-Disposition: form-data; ",
  "Content-Type: text/plain; charset=latin1\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  'name="',
  'filename="',
  "name*=utf-8''%E2%82%AC",
  "boundary=",
];

export async function fuzz(bytes: Buffer): Promise<void> {
  const end = bytes.indexOf(10);
  const contentType = bytes.subarray(0, Math.max(0, end)).toString("latin1");
  const body = bytes.subarray(end + 1);
  const read = async (): Promise<Form | undefined> => {
    try {
      return await readMultipart(contentType, Buffer.from(body));
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  };
  const form = await read();
  ok((form?.fields.size ?? 0) <= FORM_LIMITS.fields);
  deepStrictEqual(await read(), form);
}
