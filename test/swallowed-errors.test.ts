import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

it.each([
  ["src", 100],
  ["web", 30],
])("every handler in %s that drops an error reports it or gives the reason in a comment", (name, atLeast) => {
  const folder = join(import.meta.dirname, "..", name);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path) && !path.startsWith("gen"),
  );
  expect(files.length).toBeGreaterThan(atLeast);
  expect(files.flatMap((path) => swallowedIn(readFileSync(join(folder, path), "utf8"), `${name}/${path}`))).toEqual([]);
});

it.each([
  ["try { f(); } catch {}", 1],
  ["try { f(); } catch (error) { g(); }", 1],
  ["f().catch(() => undefined);", 1],
  ["f().then(g, () => 0);", 1],
  ["try { f(); } catch { throw new Error(); }", 0],
  ["try { f(); } catch (error) { report(error); }", 0],
  ["try { f(); } catch {\n // none is needed\n }", 0],
  ["f().catch(() => undefined); // none is needed", 0],
  ["f().catch((error) => report(error));", 0],
  ["f().catch(report);", 0],
])("the check finds in %s %i dropped errors", (source, count) => {
  expect(swallowedIn(source, "example.ts")).toHaveLength(count);
});

/** Handlers that neither look at the error nor throw, without a comment on their lines or the one before. */
function swallowedIn(source: string, name: string): string[] {
  const lines = source.split("\n");
  const lineOf = (offset: number) => source.slice(0, offset).split("\n").length;
  const found: string[] = [];
  const look = (handler: Node, parameter: unknown, body: Node) => {
    const text = source.slice(body.start, body.end);
    const name_ = isNode(parameter) ? source.slice(parameter.start, parameter.end).split(":")[0]! : undefined;
    const isUsed = name_ !== undefined && (!/^\w+$/.test(name_) || new RegExp(`\\b${name_}\\b`).test(text));
    if (isUsed || /\bthrow\b|\breject\(/.test(text)) return;
    const [from, to] = [lineOf(handler.start), lineOf(handler.end)];
    if (lines.slice(Math.max(0, from - 2), to).some((line) => /(^|\s)(\/\/|\/?\*)/.test(line))) return;
    found.push(`${name}:${from}`);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (!isNode(node)) return;
    if (node.type === "CatchClause" && isNode(node.body)) look(node, node.param, node.body);
    if (node.type === "CallExpression" && isNode(node.callee) && isNode(node.callee.property)) {
      const method = node.callee.property.name;
      const at = method === "catch" ? 0 : method === "then" ? 1 : -1;
      const handler = Array.isArray(node.arguments) ? node.arguments[at] : undefined;
      if (isNode(handler) && handler.type === "ArrowFunctionExpression" && isNode(handler.body))
        look(handler, Array.isArray(handler.params) ? handler.params[0] : undefined, handler.body);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(source, { lang: name.endsWith("x") ? "tsx" : "ts" }));
  return found;
}

interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}
