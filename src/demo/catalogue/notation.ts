import { isPictureColour, type PictureColour } from "../picture/palette.js";
import { isPictureShape, type PictureShape } from "../picture/shapes.js";

/** One article of the demo shop. */
export interface Article {
  /** Id and last part of its page's path: lower-case words joined by hyphens. */
  readonly id: string;
  readonly sku: string;
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  /** Euro cents. */
  readonly cents: number;
  /** What the picture shows; also what articles are alike in the eyes of a visitor. */
  readonly shape: PictureShape;
  /** Which drawing of the shape: 0, 1 or 2. */
  readonly style: number;
  readonly colour: PictureColour;
  readonly tags: readonly string[];
  /** Articles of one group are variants of one product; "" for none. */
  readonly group: string;
  readonly inStock: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly department: string;
  readonly category: string;
}

export interface ArticleCategory {
  readonly id: string;
  readonly name: string;
  /** One sentence above the category's articles. */
  readonly blurb: string;
  readonly articles: readonly Article[];
}

export interface Department {
  readonly id: string;
  readonly name: string;
  readonly categories: readonly ArticleCategory[];
}

/** A category before its department is known. */
export interface CategoryDraft {
  readonly id: string;
  readonly name: string;
  readonly blurb: string;
  /** Prefix of the articles' SKUs. */
  readonly code: string;
  /** Articles in the notation of `readArticles`. */
  readonly text: string;
}

/** A department with its categories read. */
export function department(id: string, name: string, drafts: readonly CategoryDraft[]): Department {
  const categories = drafts.map((draft) => ({
    id: draft.id,
    name: draft.name,
    blurb: draft.blurb,
    articles: readArticles(draft, id),
  }));
  return { id, name, categories };
}

/**
 * Reads articles, each of two lines:
 *
 *   id | shape/style | colour | price in EUR | brand | title | tag, tag | extra; extra
 *     Description.
 *
 * A style of 0 is left out. Extras may be left out: `out` (out of stock), `group=ID` (variants of one product), and any `name=value` as an
 * attribute. SKUs count up in the order of the lines. Throws an Error with the line for anything that is not so.
 */
function readArticles(draft: CategoryDraft, departmentId: string): Article[] {
  const lines = draft.text.split("\n").filter((line) => line.trim() !== "");
  const articles: Article[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const head = lines[at] ?? "";
    const [id = "", drawing = "", colour = "", price = "", brand = "", title = "", tags = "", extras = ""] = head
      .split("|")
      .map((part) => part.trim());
    const [shape = "", style = "0"] = drawing.split("/");
    const description = (lines[at + 1] ?? "").trim();
    const complete = /^[a-z0-9-]+$/.test(id) && /^\d+(\.\d\d)?$/.test(price) && brand !== "" && title !== "";
    if (!complete || description === "" || !isPictureShape(shape) || !isPictureColour(colour)) {
      throw new Error(`demo article cannot be read: ${head}`);
    }
    articles.push({
      id,
      sku: `${draft.code}-${String(articles.length + 1).padStart(3, "0")}`,
      title,
      description,
      brand,
      cents: Math.round(Number(price) * 100),
      shape,
      style: Number(style),
      colour,
      tags: splitTrimmed(tags, ","),
      ...readExtras(extras, colour),
      department: departmentId,
      category: draft.id,
    });
  }
  return articles;
}

function readExtras(text: string, colour: string): Pick<Article, "group" | "inStock" | "attributes"> {
  const attributes: Record<string, string> = { colour };
  let group = "";
  let inStock = true;
  for (const extra of splitTrimmed(text, ";")) {
    const [name = "", value = ""] = splitTrimmed(extra, "=");
    if (name === "out") inStock = false;
    else if (name === "group") group = value;
    else attributes[name] = value;
  }
  return { group, inStock, attributes };
}

function splitTrimmed(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
