import { readFile } from "node:fs/promises";

/** What a process has used. */
export interface ProcessFigures {
  /** CPU time of all its threads, ms. */
  readonly cpuMs: number;
  /** Memory it holds now, bytes, with what it has mapped of files. */
  readonly residentBytes: number;
  /** The same without files: pages of an embedded store come and go as the system has room for them. */
  readonly ownBytes: number;
  /** The most it ever held, with what it has mapped of files. */
  readonly peakBytes: number;
}

/** What a server counts of itself, by the names of its series. */
export async function seriesOf(rpcUrl: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${rpcUrl}/metrics`)).text();
  return new Map([...text.matchAll(/^([^#\n]+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]));
}

/** Linux counts processor time in hundredths of a second for programs. */
const TICK_MS = 10;

/** Read from /proc, which Linux alone has; zeros elsewhere. */
export async function processFigures(pid: number): Promise<ProcessFigures> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/status`, "utf8"),
    ]);
    // Behind the name, which may hold anything, in brackets: the 12th and 13th field are user and system time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) * 1024;
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      residentBytes: bytes("VmRSS"),
      ownBytes: bytes("RssAnon"),
      peakBytes: bytes("VmHWM"),
    };
  } catch {
    return { cpuMs: 0, residentBytes: 0, ownBytes: 0, peakBytes: 0 };
  }
}
