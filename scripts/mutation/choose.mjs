// Faults of one line in the source, chosen by seed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { parseAst } from "vitest/node";
import { filesBelow, root } from "../lib.mjs";

const OPERATORS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

const CHANGES = {
  BinaryExpression: changeOperator,
  LogicalExpression: changeOperator,
  UnaryExpression({ operator, argument, start, end }, add, text) {
    if (operator === "!") add(start, end, text.slice(argument.start, argument.end));
  },
  Literal({ value, raw, start, end }, add, _text, parent) {
    const isKey = /^(?:Property|MemberExpression|ImportDeclaration)$/.test(parent?.type) && parent.key?.start === start;
    if (typeof value === "number" && !isKey && Number.isSafeInteger(value) && !/[ex]/i.test(raw))
      add(start, end, String(value + 1));
  },
  ReturnStatement({ argument }, add) {
    emptyArray(argument, add);
  },
  ArrowFunctionExpression({ body }, add) {
    emptyArray(body, add);
  },
  ExpressionStatement({ expression, start, end }, add) {
    if (expression.type === "CallExpression" && expression.callee.type !== "Super") add(start, end, ";");
  },
};

/** Mutants of as many files, the same ones for the same seed and the same source. */
export function choose(seed, count) {
  const next = random(seed);
  // Compiled to WebAssembly ahead of the tests: a fault planted there would not run.
  const isTested = (file) => /\.ts$/.test(file) && !/^(?:gen|learning\/kernels\/assembly)\//.test(file);
  const sites = filesBelow(join(root, "src"))
    .filter(isTested)
    .flatMap((name) => sitesOf(`src/${name}`));
  const chosen = new Map();
  while (chosen.size < count && sites.length > 0) {
    const [site] = sites.splice(Math.floor(next() * sites.length), 1);
    if (!chosen.has(site.file) && compiles(site)) chosen.set(site.file, site);
  }
  return [...chosen.values()];
}

/** Mulberry32: numbers from 0 to 1. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every place of a file where one of the changes below can be made. */
function sitesOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  const found = [];
  const add = (start, end, after) => {
    const before = text.slice(start, end);
    if (before.includes("\n")) return;
    found.push({ file, text, start, end, before, after, line: text.slice(0, start).split("\n").length });
  };
  const visit = (node, parent) => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, parent);
      return;
    }
    if (typeof node?.type !== "string" || says(text, node)) return;
    CHANGES[node.type]?.(node, add, text, parent);
    // Types do not run; what they are put around does.
    if (node.type.startsWith("TS")) return visit(node.expression, node);
    for (const [key, child] of Object.entries(node))
      if (key !== "typeAnnotation" && key !== "returnType" && typeof child === "object") visit(child, node);
  };
  visit(parseAst(text, { lang: "ts" }, file).body, undefined);
  return found;
}

/** Words for operators, which no promise depends on to the letter. */
function says(text, { type, callee }) {
  return type === "CallExpression" && /\b(?:log(?:ger)?|console|span)\b/.test(text.slice(callee.start, callee.end));
}

function changeOperator({ operator, left, right, start, end }, add, text) {
  const after = OPERATORS[operator];
  const isText = /["'`]/.test(text.slice(left.start, left.end) + text.slice(right.start, right.end));
  if (after === undefined || (operator === "+" && isText)) return;
  const between = text.slice(left.end, right.start);
  const at = left.end + between.indexOf(operator);
  // A comment or a parenthesis between the operands does not move it.
  if (between.trim().replace(/[()]/g, "").trim() !== operator) return;
  add(start, end, `${text.slice(start, at)}${after}${text.slice(at + operator.length, end)}`);
}

function emptyArray(value, add) {
  const isArray = value?.type === "ArrayExpression" && value.elements.length > 0;
  const isMade =
    value?.type === "CallExpression" && /^(?:map|filter|flatMap|toSorted)$/.test(value.callee.property?.name);
  if (isArray || isMade) add(value.start, value.end, "[]");
}

/** The source with the fault. */
export function planted({ text, start, end, after }) {
  return text.slice(0, start) + after + text.slice(end);
}

/** The same as the build has it. */
export function compiled(mutant) {
  return transformSync(planted(mutant), { loader: "ts", format: "esm", target: "node20" }).code;
}

function compiles(mutant) {
  try {
    return compiled(mutant) !== "";
  } catch {
    return false;
  }
}
