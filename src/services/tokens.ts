import { createHash } from "node:crypto";
import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";

const CHECK_BYTES = 9;

/** No token takes more bytes of an answer. */
export const TOKEN_BYTES = 1024;

/** Accepted tokens, by their field. */
const ACCEPTED = {
  page_token: "the whole next_page_token of an answer to the same request",
  resume_token: "the whole resume_token of a message to the same request",
};

/** Tokens of the answers to a request. */
export interface Tokens {
  /** The token of a position; never "". */
  seal(position: string): string;
  /** The position of a token. Throws InvalidArgument for one of another request, and for one of which anything is missing or altered. */
  open(token: string): string;
}

/** `request` is without its own token and what else may differ. */
export function tokensOf(field: keyof typeof ACCEPTED, { name, parent, input }: DescMethod, request: Message): Tokens {
  const filter = toBinary(input, request, { writeUnknownFields: false });
  const bound = createHash("sha256").update(`${parent.typeName}/${name}\0`).update(filter).digest();
  const seal = (position: string): string => {
    const check = createHash("sha256").update(bound).update(position).digest().subarray(0, CHECK_BYTES);
    return Buffer.concat([check, Buffer.from(position, "utf8")]).toString("base64url");
  };
  return {
    seal,
    open(token) {
      const position = Buffer.from(token, "base64url").toString("utf8", CHECK_BYTES);
      if (seal(position) !== token) throw new InvalidArgument(field, "invalid", ACCEPTED[field]);
      return position;
    },
  };
}
