/**
 * The audit log: its own JSON lines, which `--log-level` does not silence. Each line is written before its call is
 * answered, so that a crash loses none. Rotate a file with copytruncate: it stays open.
 */
import { pino } from "pino";
import type { AuditEntry } from "../services/access/audit.js";
import { SETTINGS } from "./settings/config.js";
import { ConfigError } from "./settings/setting.js";

/** Lines a second about calls without a known token: strangers must not fill the disk. */
const MAX_STRANGERS = 10;

/**
 * @param target `stderr`, `stdout` or the path of a file
 *
 * @param standardError the file descriptor behind `stderr`
 *
 * @param onError called if a line could not be written
 *
 * @throws ConfigError when the file cannot be opened
 */
export function openAuditLog(
  target: string,
  standardError: number,
  onError: (error: unknown) => void,
): (entry: AuditEntry) => void {
  const destination = openDestination(target, standardError);
  destination.on("error", onError);
  return createAuditLines((line) => destination.write(line), Date.now);
}

/** Writes entries as lines. `now` is in milliseconds since 1970. */
export function createAuditLines(write: (line: string) => void, now: () => number): (entry: AuditEntry) => void {
  let second = 0;
  let strangers = 0;
  let leftOut = 0;
  return (entry) => {
    const at = now();
    if (entry.code === "unauthenticated") {
      if (Math.floor(at / 1000) !== second) strangers = 0;
      second = Math.floor(at / 1000);
      if (++strangers > MAX_STRANGERS) {
        leftOut++;
        return;
      }
    }
    // Number of rejections without a line since the last one.
    const audit = leftOut === 0 ? entry : { ...entry, left_out: leftOut };
    leftOut = 0;
    write(`${JSON.stringify({ time: new Date(at).toISOString(), audit })}\n`);
  };
}

function openDestination(target: string, standardError: number) {
  if (target === "stderr") return pino.destination({ dest: standardError, sync: true });
  if (target === "stdout") return pino.destination({ dest: 1, sync: true });
  try {
    return pino.destination({ dest: target, append: true, mode: 0o600, sync: true });
  } catch {
    throw new ConfigError(SETTINGS.auditLog, "the file cannot be opened");
  }
}
