import type { PageHelper } from "../helper/aisle.js";
import type { RecommendOptions } from "../helper/recommend.js";
import { element } from "./dom.js";

/** As many as fit side by side on a desktop; on a phone the row scrolls. */
const COUNT = 6;

const OWN = /^https?:\/\/[^/]+(?:\/.*)?(\/demo\/(?:p|img)\/[^/?#]+)$/;

/** Lets the helper fill the frames of the page. @param root path to the parent of `/demo/` */
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
    frame: frame.dataset.frame ?? "default",
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

/** Links to this shop stay on the origin of the page, where cart and visitor are stored. Other links stay unchanged. */
function placeOf(url: string, root: string): string {
  const own = OWN.exec(url)?.[1];
  return own === undefined ? url : root + own;
}
