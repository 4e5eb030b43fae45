import { createHash } from "node:crypto";

/** A hash of the answers to these questions, asked one after the other: the same for builds that answer alike. */
export async function hashOfAnswers(url: string, bodies: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const body of bodies) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/recommend`, { method: "POST", headers, body });
    hash.update(`${answer.status} ${await answer.text()}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
