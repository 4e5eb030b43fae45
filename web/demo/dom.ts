/** Helpers for elements and texts of the page. */

/** The element with this id. Throws an Error when the page has none, or one of another class. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} of id ${id}`);
}

/** A new element. Its text is never parsed as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  { text = "", className = "" }: { readonly text?: string; readonly className?: string } = {},
  ...children: readonly HTMLElement[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/** Shows a short message for 2.6 seconds. Screen readers read it. */
export function createToast(place: HTMLElement): (text: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    place.textContent = text;
    place.classList.add("on");
    clearTimeout(timer);
    timer = setTimeout(() => place.classList.remove("on"), 2600);
  };
}

/** Cents as the shop writes prices. */
export function euro(cents: number): string {
  return `€ ${(cents / 100).toFixed(2)}`;
}
