/** The order of commits, as git tells it. */
import { execFileSync } from "node:child_process";

export interface Commit {
  readonly hash: string;
  /** Its day, YYYY-MM-DD. */
  readonly date: string;
  readonly title: string;
}

/** Commits of the checkout, the earliest first; none outside of a clone. */
export function readCommits(directory: string): Commit[] {
  try {
    const said = execFileSync("git", ["log", "--reverse", "--topo-order", "--date=short", "--format=%H %cd %s"], {
      cwd: directory,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return said
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [hash = "", date = ""] = line.split(" ", 2);
        return { hash, date, title: line.slice(hash.length + date.length + 2) };
      });
  } catch {
    return [];
  }
}

/** "" of a commit that git does not know. */
export function titleOf(commits: readonly Commit[], short: string): string {
  return commits.find(({ hash }) => hash.startsWith(short))?.title ?? "";
}

/** Where in the order a result stands. That of a commit git does not know comes behind all of its day. */
export function placeOf(
  commits: readonly Commit[],
  result: { readonly commit: string; readonly date: string },
): number {
  const place = commits.findIndex(({ hash }) => hash.startsWith(result.commit));
  return place >= 0 ? place : commits.filter(({ date }) => date <= result.date).length - 0.5;
}
