/**
 * Senders of /trace as they are out there, each written the way its kind of program makes a request: what leaves here is
 * what such a client puts on the wire, mistakes included.
 */

/** A request as it leaves. */
export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer;
}

export type Fields = Readonly<Record<string, string>>;

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The fields a shop plugin always posts, most of them empty. */
const EVERY_FIELD = [
  ...["c_id", "fp_ccid", "email", "phone", "user_id", "first_name", "last_name", "country", "city", "gender"],
  ...["birth_date", "customer_tags", "subscriber_status", "sms_subscriber_status", "product_ids", "product_skus"],
  ...["product_variant_ids", "product_titles", "product_images", "product_urls", "product_counts"],
  ...["product_availability", "product_category_ids", "product_category_names", "product_brand_ids"],
  ...["product_brand_names", "order_id", "order_status", "order_payment_value", "base_payment_value"],
  ...["order_currency", "base_currency", "coupon", "platform", "platform_version", "search_query"],
];

/** PHP: `http_build_query` over all fields, the empty ones too, sent by curl. */
export function phpPlugin(fields: Fields): Posted {
  const all = { ...Object.fromEntries(EVERY_FIELD.map((name) => [name, ""])), sender_type: "server", ...fields };
  const payload = Object.entries(all)
    .map(([name, value]) => `${name}=${phpUrlencode(value)}`)
    .join("&");
  return { url: "/trace", headers: { ...FORM, accept: "*/*" }, payload };
}

/** PHP's `urlencode`: a space is `+`, and `~` is escaped. */
function phpUrlencode(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

/** PHP: an array as `CURLOPT_POSTFIELDS`, which curl sends as multipart. */
export function phpMultipart(fields: Fields): Posted {
  const boundary = "------------------------d74496d66958873e";
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    url: "/trace.php",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}`, expect: "100-continue" },
    payload: `${parts.join("")}--${boundary}--\r\n`,
  };
}

/** A browser: `fetch(url, { method: "POST", body: new FormData(form) })`, with a file input left empty. */
export function browserFormData(fields: Fields): Posted {
  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  const text = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="photo"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n`;
  return {
    url: "/trace",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}`, origin: "https://shop.example" },
    payload: `${text.join("")}${file}--${boundary}--\r\n`,
  };
}

/** A browser: `navigator.sendBeacon(url, new URLSearchParams(fields))`. */
export function beaconOfParams(fields: Fields): Posted {
  const headers = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8", origin: "https://shop.example" };
  return { url: "/trace", headers, payload: new URLSearchParams(fields).toString() };
}

/** A browser: `navigator.sendBeacon(url, text)`, whose text the browser calls plain. */
export function beaconOfText(fields: Fields): Posted {
  const headers = { "content-type": "text/plain;charset=UTF-8", origin: "https://shop.example" };
  return { url: "/trace", headers, payload: new URLSearchParams(fields).toString() };
}

/** A template that encodes each value and hands it to a form encoder, which encodes it again. */
export function twiceEncoded(fields: Fields): Posted {
  const once = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, phpUrlencode(value)]));
  return { url: "/trace", headers: FORM, payload: new URLSearchParams(once).toString() };
}

/** A script that puts strings together and escapes nothing. */
export function rawText(fields: Fields): Posted {
  const payload = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return { url: "/trace", headers: FORM, payload };
}

/** A page script that writes whatever its variables hold into the body. */
export function scriptWithoutValues(fields: Readonly<Record<string, unknown>>): Posted {
  const payload = Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
  return { url: "/trace", headers: { ...FORM, "x-requested-with": "XMLHttpRequest" }, payload };
}

/** An old shop system whose texts are Latin-1, percent-encoded byte by byte. */
export function latin1(fields: Fields): Posted {
  const escaped = (text: string) =>
    [...Buffer.from(text, "latin1")]
      .map((byte) =>
        byte > 0x7f ? `%${byte.toString(16).toUpperCase()}` : encodeURIComponent(String.fromCharCode(byte)),
      )
      .join("");
  const payload = Object.entries(fields)
    .map(([name, value]) => `${name}=${escaped(value)}`)
    .join("&");
  return {
    url: "/trace",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=ISO-8859-1" },
    payload,
  };
}

/** A shell script: `curl --data-binary @body.txt`, with a byte order mark before the text and a line end behind it. */
export function curlOfFile(fields: Fields): Posted {
  const payload = Buffer.from(`\uFEFF${new URLSearchParams(fields)}\r\n`);
  return { url: "/trace", headers: FORM, payload };
}
