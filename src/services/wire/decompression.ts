import type { Compression } from "@connectrpc/connect/protocol";

/** Node runs as many at a time; more would only hold memory. */
const AT_A_TIME = 4;

/** The same compressions, but with so many messages decompressed at a time: each may grow to its limit of bytes. */
export function inTurn(compressions: readonly Compression[]): Compression[] {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = async () => {
    if (running < AT_A_TIME) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const done = () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return compressions.map((compression) => ({
    ...compression,
    async decompress(bytes, readMaxBytes) {
      await turn();
      try {
        return await compression.decompress(bytes, readMaxBytes);
      } finally {
        done();
      }
    },
  }));
}
