/** Passes over one catalogue: each contender builds, is asked and opens what it saved, in turns; then the width of the search. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { queriesOf } from "./answers.js";
import type { Catalogue } from "./catalogues.js";
import { type Answered, type Contender, exactSearch, hnswlibForPython, ours, type Width } from "./contenders.js";
import { median } from "./cpu.js";
import type { PythonIndex } from "./python.js";

/** Medians of the passes; not a number where there is nothing to measure. */
export interface Row extends Answered {
  readonly name: string;
  /** CPU, s. */
  readonly build: number;
  readonly openMs: number;
}

export interface Figures {
  readonly catalogue: string;
  readonly count: number;
  readonly dimensions: number;
  /** Candidates of a search, found at the build; 0 when all vectors are looked at. */
  readonly efSearch: number;
  readonly indexMib: number;
  readonly rows: readonly Row[];
  readonly curve: readonly Width[];
}

export interface Plan {
  readonly passes: number;
  readonly widths: readonly number[];
  readonly python: PythonIndex | undefined;
  /** For the files of indices and vectors. */
  readonly folder: string;
}

export async function measure(catalogue: Catalogue, { passes, widths, python, folder }: Plan): Promise<Figures> {
  const { name, count, dimensions, vectors } = catalogue;
  const vectorsFile = join(folder, "vectors");
  writeFileSync(vectorsFile, vectors);
  const queries = queriesOf(catalogue);
  const aisle = ours(catalogue);
  const reference = python === undefined ? [] : [hnswlibForPython(python, vectorsFile, catalogue)];
  const contenders: readonly Contender[] = [aisle, ...reference, exactSearch(catalogue)];
  const measured = contenders.map((): Omit<Row, "name">[] => []);
  const curves: Width[][] = [];
  for (let pass = 0; pass < passes; pass++) {
    const builds: number[] = [];
    for (const contender of contenders) builds.push(await contender.build());
    const { efSearch } = aisle.facts();
    for (const [at, contender] of contenders.entries()) {
      const answered = await contender.answer(queries, efSearch);
      const openMs = await contender.open(join(folder, "index"));
      measured[at]?.push({ ...answered, build: builds[at] ?? Number.NaN, openMs });
    }
    curves.push(efSearch === 0 ? [] : aisle.curve(queries, widths));
  }
  rmSync(vectorsFile);
  const { efSearch, bytes } = aisle.facts();
  return {
    catalogue: name,
    count,
    dimensions,
    efSearch,
    indexMib: bytes / 2 ** 20,
    rows: contenders.map((contender, at) => ({ name: contender.name, ...medians(measured[at] ?? []) })),
    curve: widths.map((efSearch, at) => ({
      efSearch,
      recall: curves[0]?.[at]?.recall ?? Number.NaN,
      micros: median(curves.map((curve) => curve[at]?.micros ?? Number.NaN)),
    })),
  };
}

function medians(passes: readonly Omit<Row, "name">[]): Omit<Row, "name"> {
  const of = (figure: keyof Omit<Row, "name">) => median(passes.map((pass) => pass[figure]));
  return { build: of("build"), ten: of("ten"), asked: of("asked"), recall: of("recall"), openMs: of("openMs") };
}
