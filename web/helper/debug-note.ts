/** Writes each sentence once, to the browser's console and to a list at the end of the page. */
export function pageReport(): (sentence: string) => void {
  const said = new Set<string>();
  let list: HTMLElement | undefined;
  return (sentence) => {
    if (said.has(sentence)) return;
    said.add(sentence);
    console.warn(`Aisle: ${sentence}`);
    list ??= document.body.appendChild(box());
    const line = document.createElement("p");
    line.textContent = `Aisle: ${sentence}`;
    line.style.margin = "0.3em 0";
    list.append(line);
  };
}

/** Styles by script: a style sheet might not be loaded, and a page's policy may forbid inline ones. */
function box(): HTMLElement {
  const element = document.createElement("aside");
  element.className = "aisle-debug";
  element.setAttribute("role", "status");
  Object.assign(element.style, {
    position: "fixed",
    insetInline: "0",
    insetBlockEnd: "0",
    zIndex: "2147483647",
    padding: "0.5em 1em",
    color: "#222",
    background: "#ffe9a8",
    borderTop: "2px solid #b57900",
    font: "14px/1.4 system-ui, sans-serif",
  });
  return element;
}
