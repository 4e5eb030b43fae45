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
