/** Small things about the page. */

/** The element of an id that the page has been made with. Throws an Error when it is missing, or of another kind. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} of id ${id}`);
}

/** A new element with text: what goes into it is never read as HTML. */
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

/** Tells the visitor for a moment that something is done; read aloud by screen readers. */
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
