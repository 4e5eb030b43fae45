import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ImportInput, openInput } from "../../../src/cli/import/input.js";
import { createRejects, SHOWN_REJECTS } from "../../../src/cli/import/rejects.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aisle-input-"));
});
afterAll(() => rm(folder, { recursive: true }));

const nothing = () => Readable.from([]);

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function textOf(input: ImportInput): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of input.chunks) chunks.push(chunk);
  } finally {
    await input.close();
  }
  return Buffer.concat(chunks).toString();
}

describe("openInput", () => {
  it("reads a plain file and knows its size", async () => {
    const input = await openInput(await write("plain.csv", "a,b\n1,2\n"), nothing());
    expect(input.totalBytes).toBe(8);
    expect(await textOf(input)).toBe("a,b\n1,2\n");
    expect(input.bytesRead()).toBe(8);
  });

  it("unpacks gzip by its content, whatever the name, also with several members", async () => {
    const path = await write("names-lie.csv", Buffer.concat([gzipSync("a,b\n"), gzipSync("1,2\n")]));
    expect(await textOf(await openInput(path, nothing()))).toBe("a,b\n1,2\n");
  });

  it("reads a plain file that is called .gz", async () => {
    expect(await textOf(await openInput(await write("plain.csv.gz", "a\n"), nothing()))).toBe("a\n");
  });

  it("reads gzip from stdin in pieces of one byte", async () => {
    const pieces = [...gzipSync("a,b\n1,2\n")].map((byte) => Buffer.from([byte]));
    const input = await openInput("-", Readable.from(pieces));
    expect([input.name, input.rejectedPath, input.totalBytes]).toEqual(["stdin", "stdin.rejected", null]);
    expect(await textOf(input)).toBe("a,b\n1,2\n");
  });

  it("reads an empty file as no bytes", async () => {
    expect(await textOf(await openInput(await write("empty", ""), nothing()))).toBe("");
  });

  it.each<[string, Buffer]>([
    ["the gzip data ends too early", gzipSync("a".repeat(1000)).subarray(0, 20)],
    ["the gzip data is damaged", Buffer.concat([gzipSync("a").subarray(0, 10), Buffer.alloc(40, 0xff)])],
    ["is a zip archive or spreadsheet", Buffer.from("PK\x03\x04xxxx")],
    ["is UTF-16", Buffer.from("\uFEFFid,title", "utf16le")],
  ])("fails and reports that %s", async (reason, content) => {
    const input = await openInput(await write("broken", content), nothing());
    await expect(textOf(input)).rejects.toThrow(reason);
  });

  it("fails for a missing file and for a directory", async () => {
    await expect(openInput(join(folder, "none.csv"), nothing())).rejects.toThrow("there is no such file");
    await expect(openInput(folder, nothing())).rejects.toThrow("it is a directory");
  });
});

describe("createRejects", () => {
  it("writes rejected lines unchanged, below the header", async () => {
    const path = join(folder, "a.csv.rejected");
    const rejects = createRejects({ path, note: () => {} });
    rejects.setHeader("id,title");
    rejects.add({ line: 2, raw: ',"x\ny"', reason: "id: missing" });
    await rejects.flush();
    rejects.add({ line: 4, raw: "1", reason: "the line has 1 columns" });
    await rejects.close();
    expect(await readFile(path, "utf8")).toBe('id,title\n,"x\ny"\n1\n');
    expect([rejects.count, rejects.file]).toEqual([2, path]);
  });

  it("makes its files readable to their owner alone, also existing ones", async () => {
    const path = join(folder, "e.csv.rejected");
    const reportPath = join(folder, "e.report");
    await writeFile(path, "something longer from another run\n", { mode: 0o644 });
    const rejects = createRejects({ path, reportPath, note: () => {} });
    rejects.add({ line: 2, raw: "ada@shop.example", reason: "email: invalid" });
    await rejects.close();
    for (const file of [path, reportPath]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toBe("ada@shop.example\n");
  });

  it("makes no file when nothing was rejected", async () => {
    const path = join(folder, "b.csv.rejected");
    const rejects = createRejects({ path, note: () => {} });
    rejects.setHeader("id");
    await rejects.close();
    await expect(readFile(path)).rejects.toThrow("ENOENT");
    expect(rejects.file).toBeNull();
  });

  it("shows the first lines with their numbers and then only that there are more", async () => {
    const notes: string[] = [];
    const rejects = createRejects({ path: join(folder, "c.rejected"), note: (text) => notes.push(text) });
    for (let line = 1; line <= 100; line++) rejects.add({ line, raw: "", reason: "id: missing" });
    await rejects.close();
    expect(notes).toHaveLength(SHOWN_REJECTS + 1);
    expect(notes[0]).toBe("line 1: id: missing");
    expect(notes.at(-1)).toContain("more lines were rejected");
  });

  it("reports once that its file cannot be written, and continues to count", async () => {
    const notes: string[] = [];
    const rejects = createRejects({ path: join(folder, "no", "d.rejected"), note: (text) => notes.push(text) });
    for (let line = 1; line <= 3; line++) {
      rejects.add({ line, raw: "", reason: "id: missing" });
      await rejects.flush();
    }
    await rejects.close();
    expect(notes.filter((note) => note.startsWith("Cannot write"))).toHaveLength(1);
    expect([rejects.count, rejects.file]).toEqual([3, null]);
  });
});
