/** CPU of this process, which another process on the machine does not change much. */

export function cpuSeconds(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}

/** Of one question, µs. */
export function microsOf<T>(questions: readonly T[], rounds: number, ask: (question: T) => unknown): number {
  const seconds = cpuSeconds(() => {
    for (let round = 0; round < rounds; round++) for (const question of questions) ask(question);
  });
  return (seconds * 1e6) / (rounds * questions.length);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
