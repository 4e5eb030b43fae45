/** Code for an integrator to paste, for one app. */
export interface SnippetsOf {
  /** Public address without a trailing slash. */
  readonly url: string;
  readonly appId: string;
  /** A product of the app. */
  readonly productId: string;
  /** A visitor's fingerprint cookie id. */
  readonly visitor: string;
}

export interface NamedSnippet {
  readonly title: string;
  readonly text: string;
}

/** The three operations as commands for a POSIX shell, one line each, and the helper's script tag. */
export function snippetsFor({ url, appId, productId, visitor }: SnippetsOf): readonly NamedSnippet[] {
  const fpcid = encodeURIComponent(visitor);
  const form = { app_id: appId, action_type: "product_view", product_ids: productId, fp_ccid: visitor };
  const fields = Object.entries(form).map(([name, value]) => `-d ${quoted(`${name}=${encodeURIComponent(value)}`)}`);
  const request = { appId, productInteractions: [], currentProductIds: productId, fpccid: visitor };
  return [
    {
      title: "Is the visitor subscribed?",
      text: `curl -s ${quoted(`${url}/subscription_status?app_id=${appId}&fpcid=${fpcid}`)}`,
    },
    { title: "Take an event", text: `curl -si ${quoted(`${url}/trace`)} ${fields.join(" ")}` },
    {
      title: "What to show next",
      text: `curl -s ${quoted(`${url}/recommend`)} -H 'content-type: application/json' -d ${quoted(JSON.stringify(request))}`,
    },
    {
      title: "The helper in a page",
      text: `<link rel="stylesheet" href="${url}/aisle.css">\n<script src="${url}/aisle.js" data-app="${appId}" defer></script>`,
    },
  ];
}

/** The text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
