// node scripts/voice.mjs [FILE…]: sentences of README and docs that are longer than 25 words, and turns of phrase that have to be
// read twice. `npm run check` fails when there is one that ACCEPTED does not justify.
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, filesBelow, root, script } from "./lib.mjs";

const MOST_WORDS = 25;

/** Made from help texts and comments of the contract, which are mended there. */
const GENERATED = new Set(["docs/cli.md", "docs/api.md", "docs/api-types.md"]);

/** Phrases, and what to write instead. */
const PHRASES = [
  [/\bas well as can be\b/, "best effort"],
  [/\bgone on with\b/, "continued"],
  [/\bin a wrong way\b/, "usage error"],
  [/\bis it well\b/, "health checks"],
  [/\bfor people\b/, "name the reader, or leave it out"],
  [/\blook(s|ed)? again\b/, "refresh"],
  [/\b(is|are) looked (at|for|after)\b/, "active voice"],
  [/\bpast its time\b/, "expired"],
  [/\bis none\b/, "reads as absent"],
  [/\bsome way off\b/, "remote"],
  [/\baside of the thread\b/, "off the main thread"],
  [/\b(is|are|was|were) told\b/, "name who says it"],
  [/\bkept too long\b/, "retention"],
  [/\bnobody (asks|waits|is told|gets|knows)\b/, "unused, or name the party"],
  [/\bnot said\b/, "unspecified"],
  [/\bdid another work\b/, "unexpected result"],
  [/\bwith(out)? as many calls\b/, "separate calls"],
  [/\bmoves? (the|its) lists on\b/, "rotate"],
  [/\bbought ones\b/, "products bought before"],
  [/\btimes met\b/, "say of how many"],
  [/\bas it were\b|\bby and by\b|\bfor as long as it takes\b/, "leave it out"],
];
/** A clause as the subject, which hides who does what. */
const SUBJECT = /^(What|Who|Which) (is|was|are|of|comes|happens|waits|anybody|others|events)\b[^?]*\.$/;

/** Beginnings of sentences that may stay, each with the reason. */
const ACCEPTED = new Map([]);

/** The prose of Markdown: paragraphs and list items, without code, tables, headings and HTML. */
function paragraphsOf(text) {
  const found = [];
  let lines = [];
  let start = 0;
  const end = () => {
    if (lines.length > 0) found.push({ line: start, text: lines.join(" ") });
    lines = [];
  };
  const withoutFences = text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""));
  for (const [index, line] of withoutFences.split("\n").entries()) {
    const isProse = !/^(\||#|<|!|\s{4,}\S)/.test(line) && line.trim() !== "";
    if (!isProse || /^\s*([-*]|\d+\.)\s/.test(line)) end();
    if (!isProse) continue;
    if (lines.length === 0) start = index + 1;
    lines.push(line.replace(/^\s*([-*>]|\d+\.)\s+/, "").trim());
  }
  end();
  return found;
}

const plain = (text) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`]*`/g, "CODE")
    .replace(/\*\*/g, "");

/** Full stops of abbreviations and numbers end no sentence. */
const sentencesOf = (text) => plain(text).split(/(?<=[.?!]["”)*]?)\s+/u);

export function findingsOf(file, text) {
  const found = [];
  for (const { line, text: paragraph } of paragraphsOf(text)) {
    for (const sentence of sentencesOf(paragraph)) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
      const why =
        words > MOST_WORDS ? `${words} words` : SUBJECT.test(sentence) ? "a clause as the subject" : undefined;
      if (why !== undefined) found.push({ file, line, why, sentence });
    }
  }
  const prose = text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""));
  for (const [index, line] of prose.split("\n").entries()) {
    for (const [phrase, instead] of PHRASES) {
      if (new RegExp(phrase, "i").test(plain(line)))
        found.push({ file, line: index + 1, why: `write "${instead}"`, sentence: plain(line) });
    }
  }
  return found.filter(({ sentence }) => ![...ACCEPTED.keys()].some((beginning) => sentence.startsWith(beginning)));
}

const shown = ({ file, line, why, sentence }) => `${file}:${line}: ${why}: ${sentence.slice(0, 400)}`;

function findingsIn(paths) {
  return paths.flatMap((path) => findingsOf(path, readFileSync(join(root, path), "utf8")));
}

/** @throws Failure that names each sentence to be mended */
export function checkVoice() {
  const docs = filesBelow(join(root, "docs")).filter((path) => path.endsWith(".md"));
  const found = findingsIn(["README.md", ...docs.map((path) => `docs/${path}`)].filter((path) => !GENERATED.has(path)));
  if (found.length > 0) throw new Failure(found.map(shown).join("\n"));
  return `${ACCEPTED.size} accepted`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await script(() => {
    const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)));
    if (paths.length === 0) console.log(checkVoice());
    else for (const one of findingsIn(paths)) console.log(shown(one));
  });
}
