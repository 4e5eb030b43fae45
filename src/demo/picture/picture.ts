import { articleById } from "../catalogue/catalogue.js";
import type { Article } from "../catalogue/notation.js";
import { escapeMarkup } from "../html.js";
import { createRandom, seedFrom } from "../random.js";
import { shadesOf } from "./palette.js";
import { oval } from "./pen.js";
import { drawScene } from "./scene.js";
import { drawOf } from "./shapes.js";

/** The picture of an article as an SVG document of some 3 KB, the same each time; undefined for an unknown id. */
export function demoPicture(productId: string): string | undefined {
  const article = articleById(productId);
  return article === undefined ? undefined : drawPicture(article);
}

function drawPicture(article: Article): string {
  const random = createRandom(seedFrom(article.id));
  const shades = shadesOf(article.colour);
  const scene = drawScene(article.department, shades.main, random);
  const shadow = oval(200, 316, 128, 12, "#1c2a381f");
  const drawing = drawOf(article.shape)(shades, article.style);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" role="img" aria-labelledby="t">` +
    `<title id="t">${escapeMarkup(article.title)}</title>${scene}${shadow}${drawing}</svg>\n`
  );
}
