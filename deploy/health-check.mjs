// Health check of the container image, which has no curl: ends with 0 when the server of this container answers.
//
// A process with a facade is asked whether it could make an event durable now, another one whether it is alive. The role
// and the ports are those of the environment; a container that sets them by flags names the address as the argument.
const { AISLE_ROLE: role = "all", AISLE_FACADE_PORT: facade = "8080", AISLE_RPC_PORT: rpc = "8081" } = process.env;
const hasFacade = ["all", "facade", ""].includes(role.trim().toLowerCase());
const address = process.argv[2] ?? `http://127.0.0.1:${hasFacade ? `${facade}/readyz` : `${rpc}/healthz`}`;
const answer = await fetch(address, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
