import { readFileSync } from "node:fs";
import { join } from "node:path";

export const DOCS = join(import.meta.dirname, "../../docs");

/** A fenced block of a page that is a command. */
export interface CommandBlock {
  /**
   * `run`: typed as it stands. `server`: one line that goes on until it is told to stop; the next such block of the page takes
   * its place. `beside`: the same, beside those that run. `not-run`: needs what a test has not.
   */
  readonly kind: "run" | "server" | "beside" | "not-run";
  readonly text: string;
  /** What the `text` block after it shows as its output; undefined when there is none. */
  readonly output: string | undefined;
  /** Page and line, for messages. */
  readonly place: string;
}

export interface Page {
  readonly name: string;
  readonly text: string;
  /** In the order of the page. */
  readonly blocks: readonly CommandBlock[];
  /** The page whose commands come before its own: it says "go on after [the title](page.md)". */
  readonly after: string | undefined;
}

const KINDS = { "": "run", server: "server", beside: "beside", "not-run": "not-run" } as const;
const isKind = (word: string): word is keyof typeof KINDS => word in KINDS;

/** Reads a page of docs/. Throws when a `sh` block has a word behind it that means nothing. */
export function readPage(name: string): Page {
  const text = readFileSync(join(DOCS, name), "utf8");
  const blocks: CommandBlock[] = [];
  let command: CommandBlock | undefined;
  for (const match of text.matchAll(/^```(\w+)(?: ([\w-]+))?\n([\s\S]*?)^```$/gm)) {
    const [, language, word = "", content = ""] = match;
    const place = `docs/${name}:${text.slice(0, match.index).split("\n").length}`;
    if (language === "text" && command !== undefined) blocks[blocks.length - 1] = { ...command, output: content };
    command = undefined;
    if (language !== "sh") continue;
    if (!isKind(word)) throw new Error(`${place}: "sh ${word}" is no kind of command`);
    command = { kind: KINDS[word], text: content.trimEnd(), output: undefined, place };
    blocks.push(command);
  }
  const after = /go on after \[[^\]]+\]\(([\w-]+\.md)\)/.exec(text)?.[1];
  return { name, text, blocks, after };
}

/** What a page shows as output, as a pattern: `…` is any text of a line, a line of only `…` any number of lines. */
export function outputPattern(shown: string): RegExp {
  const lines = shown.trimEnd().split("\n");
  const patterns = lines.map((line, index) => {
    if (line.trim() === "…") return "(?:[^\\n]*\\n)*?";
    const end = index === lines.length - 1 ? "" : "\\n";
    return line.trimEnd().split("…").map(escaped).join("[^\\n]*") + end;
  });
  return new RegExp(`^${patterns.join("")}\\s*$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
