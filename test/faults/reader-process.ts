import { spawn } from "node:child_process";

/**
 * The lines that a program writes to its standard output, up to its end or to a crash. Rejects when the program fails with an
 * exit code.
 *
 * @param program A file of TypeScript, or of JavaScript (`.mjs`), which starts faster.
 */
export function linesOf(program: string, ...given: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [...(program.endsWith(".mjs") ? [] : ["--import", "tsx"]), program, ...given],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code !== 0 && signal === null) reject(new Error(`the reader failed: ${errors}`));
      else resolve(output.split("\n").filter(Boolean));
    });
  });
}
