import type { Compression } from "@connectrpc/connect/protocol";

/** As many as Node does at a time anyhow; more would only hold what has come out so far. */
const AT_A_TIME = 4;

/** The same ways to compress, of which so many messages are decompressed at a time: each may become its limit of bytes. */
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
