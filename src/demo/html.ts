/** The text with the characters that mean something in HTML and SVG replaced, for content and quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text that is HTML already. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

/** HTML from a template: texts and numbers are escaped, markup and lists of it go in as they are. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = fixed.reduce((text, piece, index) => text + markupOf(parts[index - 1] ?? "") + piece);
  return { markup };
}

function markupOf(part: Part): string {
  if (typeof part === "string" || typeof part === "number") return escapeMarkup(String(part));
  if ("markup" in part) return part.markup;
  return part.map(({ markup }) => markup).join("");
}
