import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEMO_DATA } from "../web-files.js";

/** Escapes text for HTML content and quoted attributes. */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text that is HTML already. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

/** HTML from a template: escapes texts and numbers, inserts markup unchanged. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = fixed.reduce((text, piece, index) => text + markupOf(parts[index - 1] ?? "") + piece);
  return { markup };
}

function markupOf(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escapeMarkup(String(part));
  if ("markup" in part) return part.markup;
  return part.map(({ markup }) => markup).join("");
}

const pages = new Map<string, string>();

/** The HTML of a file in `web/demo/pages/`, with a part for each `{{name}}`. */
export function page(name: string, parts: Readonly<Record<string, Part>>): Markup {
  const text = pages.get(name) ?? readFileSync(join(DEMO_DATA, "pages", name), "utf8");
  pages.set(name, text);
  return {
    markup: text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const part = parts[key];
      if (part === undefined) throw new Error(`web/demo/pages/${name} has the unknown part ${key}`);
      return markupOf(part);
    }),
  };
}
