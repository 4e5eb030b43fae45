/** What figures are of no worth without, and forms for loads. */
import { writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";

/** Forms of `POST /trace` as a shop's plugin sends them: so many product views, of 500 products. */
export function viewForms(appId: string, count: number, visitors = 2000): string[] {
  return Array.from({ length: count }, (_, n) =>
    new URLSearchParams({
      app_id: appId,
      action_type: "product_view",
      c_id: `c-${n % visitors}`,
      product_ids: `${10_000 + (n % 500)}`,
      product_skus: `BOOT-${n % 500}`,
      product_titles: "Waterproof hiking boots with a stiff sole, black, for men",
      product_urls: `https://shop.example.com/outdoor/shoes/waterproof-hiking-boots-${n % 500}.html`,
      product_images: "https://cdn.shop.example.com/media/catalog/product/b/o/boot-10442-black.jpg",
      product_category_ids: "3~31~317",
      platform: "magento2",
      page_type: "product",
      session: "9f8e7d6c5b4a",
    }).toString(),
  );
}

const TASK_RUNS = 5;

/**
 * CPU that a fixed task takes now, ms: a text of 1 MB is parsed, sorted and written. The median of some runs. A virtual
 * machine is slower while others use its hardware, and so is everything measured on it.
 */
function fixedTaskMs(): number {
  const text = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ id: `p-${(n * 7919) % 40_000}`, n })));
  const runs = Array.from({ length: TASK_RUNS }, () => {
    const begun = process.cpuUsage();
    const rows: { id: string }[] = JSON.parse(text);
    JSON.stringify(rows.sort((a, b) => (a.id < b.id ? -1 : 1)));
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  });
  return runs.sort((a, b) => a - b)[Math.floor(TASK_RUNS / 2)] ?? 0;
}

/** Keeps figures with those of the machine in the file of `--json`, where one is named. */
export async function keep(file: string | undefined, figures: object): Promise<void> {
  if (file !== undefined) await writeFile(file, `${JSON.stringify({ machine: machine(), ...figures }, null, 2)}\n`);
}

/** The machine, and how fast it is now. */
export function machine() {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? "",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    fixedTaskMs: fixedTaskMs(),
  };
}
