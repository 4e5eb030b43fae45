/** The anchor of a heading as hosts of Markdown make it, so that one link works there and on the site. */
export function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
