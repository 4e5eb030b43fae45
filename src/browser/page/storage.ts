/** The page's local storage. To read `localStorage` throws where the browser forbids it. */
export function pageStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
