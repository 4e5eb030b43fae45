import { describe, expect, it } from "vitest";
import { runCommand } from "./run-command.js";

const HEAD = `# Command line

For operators and developers. After this page you know every command of \`aisle\` with its options. \`aisle COMMAND --help\` prints the same.
In a checkout type \`npx aisle\`.
`;

/** The words of a command's subcommands, in the order of its help. */
const subcommandsOf = (help: string) =>
  [...help.matchAll(/^ {2}(?! )([a-z-]+)(?: \S+)* {2,}\S/gm)]
    .map(([, word = ""]) => word)
    .filter((word) => word !== "help" && word !== "complete");

async function helpOf(words: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await runCommand([...words, "--help"]);
  expect([words, exitCode]).toEqual([words, 0]);
  return stdout;
}

/** The help of a command and of all below it, as sections of a page. */
async function sections(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const own = `## ${["aisle", ...words].join(" ")}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  const below = /^Usage: .*\bcommand\b/m.test(help) ? subcommandsOf(help) : [];
  const pages = [own];
  for (const word of below) pages.push(...(await sections([...words, word])));
  return pages;
}

describe("docs/cli.md", () => {
  // Made again by `npx vitest run test/cli/command-page.test.ts -u`.
  it("has the help of every command", async () => {
    await expect([HEAD, ...(await sections([]))].join("\n")).toMatchFileSnapshot("../../docs/cli.md");
  });

  it("has an example of every command that has no commands below it", async () => {
    const page = (await sections([])).filter((section) => !/^Usage: .*\bcommand\b/m.test(section));
    const lacking = page.filter((section) => {
      const [, name = ""] = section.match(/^## (.*)$/m) ?? [];
      return !section.includes(`Example:\n  $ ${name}`);
    });
    expect(page.length).toBeGreaterThan(20);
    expect(lacking).toEqual([]);
  });
});
