// Health check of the container image, which has no curl: ends with 0 when the server of this container answers.
//
// A process with a facade is asked whether it could make an event durable now, another one whether it is alive. The role,
// the ports and whether it speaks https are those of the environment; a container that sets them by flags names the
// address as the argument. A port that asks callers for a certificate is shown the one of AISLE_CLIENT_CERT. Whose certificate it is, is not asked: the call does not leave the container.
import { readFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

const { AISLE_ROLE: role = "all", AISLE_FACADE_PORT: facade = "8080", AISLE_RPC_PORT: rpc = "8081" } = process.env;
const hasFacade = ["all", "facade", ""].includes(role.trim().toLowerCase());
const certificate = hasFacade ? process.env.AISLE_TLS_CERT : process.env.AISLE_RPC_TLS_CERT;
const scheme = certificate?.trim() ? "https" : "http";
const address = process.argv[2] ?? `${scheme}://127.0.0.1:${hasFacade ? `${facade}/readyz` : `${rpc}/healthz`}`;
const get = address.startsWith("https:") ? getSecure : getPlain;
const { AISLE_CLIENT_CERT: cert, AISLE_CLIENT_KEY: key } = process.env;
const shown = cert?.trim() && key?.trim() ? { cert: readFileSync(cert.trim()), key: readFileSync(key.trim()) } : {};
get(address, { timeout: 4_000, rejectUnauthorized: false, ...shown }, (answer) =>
  process.exit(answer.statusCode === 200 ? 0 : 1),
)
  .on("timeout", () => process.exit(1))
  .on("error", () => process.exit(1));
