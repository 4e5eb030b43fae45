/** What docs/settings.md says of a flag beside its help: limits, formats and links. */
export const NOTES: Readonly<Record<string, string>> = {
  "--store": "An address with a password belongs in the variable.",
  "--rpc-host": "Another address needs `--rpc-tokens`, `--rpc-client-ca` or `--insecure-rpc`.",
  "--rpc-tokens": "Without it RPC callers need no token: [tokens](security.md#rpc-tokens).",
  "--audit-log": "It says who called what: [tokens](security.md#rpc-tokens).",
  "--console": "`loopback` is this machine only, `any` everyone who reaches the RPC port: [console](console.md).",
  "--public-url": "It decides whether cookies are made for https. Default: the REST listener.",
  "--tls-cert":
    "TLS 1.2 or newer. The file holds the certificate and those that signed it. New files serve new connections within 5 s.",
  "--tls-key": "Without passphrase.",
  "--rpc-tls-cert": "The port then speaks TLS alone.",
  "--rpc-client-ca": "Callers without such a certificate are refused in the handshake.",
  "--ca": "Commands take the same three settings.",
  "--private-feeds": "Loopback counts as private.",
  "--private-hooks": "Loopback counts as private: [hooks](identity.md#links-and-hooks).",
  "--train-every":
    "`auto`: soon after the first data, when the data grew by a tenth, and daily: [when](algorithms.md#when-an-app-is-trained).",
  "--embedder": "See [text models](algorithms.md#text-models).",
  "--learned-order": "`off` trains faster: [learned order](algorithms.md#learned-order).",
  "--answer-ms": "After it `/trace` is rejected with 503.",
  "--min-free-mib": "Events get 503, and `/readyz` says why.",
  "--memory-mib": "An estimate, for each process. See [capacity](operate.md#capacity).",
  "--log-level": "JSON lines on standard error, without personal data.",
  "--role": "See [roles](cluster.md#roles).",
  "--rpc-names": "Such as that of an [nginx upstream](operate.md#nginx-before-the-rpc-port).",
  "--rpc-origins": "See [RPCs from pages](browser.md#rpcs-from-pages).",
  "--learn-products": "See [shops without a feed](integrate.md#shops-without-a-feed).",
  "--links-per-visitor": "`off`: no limit. See [trust](identity.md#subscription-status).",
  "--links-per-network": "`off`: no limit.",
  "--links-per-app": "`off`: no limit.",
  "--connections-per-address":
    "`share`: at most three times the connections that are left, alone 7,500 of 10,000. Trusted proxies are not counted.",
  "--trusted-proxies": "Addresses and prefixes, with commas between.",
  "--shop-networks": "Addresses and prefixes, with commas between.",
  "--force": "See [restarts](operate.md#what-restarts-by-itself).",
  "--pre-stop": "Balancers see meanwhile that it is not ready.",
  "--otlp-endpoint": "Such as `http://127.0.0.1:4318`: [traces](operate.md#traces).",
  "--demo": "`npm start` switches it on.",
};

/** Variables without a flag: secrets, which every process of the machine could read in a command line. */
export const SECRETS: readonly (readonly [string, string])[] = [
  [
    "AISLE_SECRET_KEY",
    "the key that encrypts what apps sign with, at least 32 characters: [secrets at rest](security.md#secrets-at-rest)",
  ],
  ["AISLE_SECRET_KEY_FILE", "a file with that key"],
  ["AISLE_SECRET_KEY_PREVIOUS", "the previous key during a key change"],
  ["AISLE_SECRET_KEY_PREVIOUS_FILE", "a file with that key"],
  ["AISLE_TOKEN", "the token of a facade at `--rpc-url`; commands send it, too"],
  ["AISLE_EMBEDDER_KEY", "the key of an embedding service"],
  ["AISLE_EMBEDDER_KEY_FILE", "a file with that key"],
];
