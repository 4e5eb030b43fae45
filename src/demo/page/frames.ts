import type { PageHelper } from "../../browser/page/aisle.js";
import type { RecommendOptions } from "../../browser/recommend.js";
import { element } from "./dom.js";

/** As many as stand side by side on a desk; on a phone the row is moved by hand. */
const COUNT = 6;

const OWN = /^https?:\/\/[^/]+(?:\/.*)?(\/demo\/(?:p|img)\/[^/?#]+)$/;

/** Has the helper fill the frames of the page. @param root Path to what `/demo/` lies below. */
export async function showFrames(aisle: PageHelper, root: string, options: RecommendOptions): Promise<void> {
  const frames = [...document.querySelectorAll<HTMLElement>(".frame")];
  await Promise.all(frames.map((frame) => showFrame(aisle, root, frame, options)));
}

async function showFrame(
  aisle: PageHelper,
  root: string,
  frame: HTMLElement,
  options: RecommendOptions,
): Promise<void> {
  const cards = await aisle.render(frame, {
    ...options,
    list: frame.dataset.list === "alternative" ? "alternative" : "recommended",
    title: frame.dataset.title ?? "",
    count: COUNT,
    minHeight: "var(--frame)",
    formatPrice: (price) => `€ ${price}`,
  });
  if (cards.length === 0 && frame.style.minHeight !== "")
    frame.append(element("p", { className: "waiting", text: "Nothing to recommend yet." }));
  for (const link of frame.querySelectorAll("a")) link.href = placeOf(link.href, root);
}

/** Pages of this shop by the address that the page itself came from, so that cart and visitor stay the same; others as they are. */
function placeOf(url: string, root: string): string {
  const own = OWN.exec(url)?.[1];
  return own === undefined ? url : root + own;
}
