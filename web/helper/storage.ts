/** The page's local storage; undefined where the browser forbids it, which makes reading `localStorage` throw. */
export function pageStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    // the browser refuses storage
    return undefined;
  }
}
