// npm run pictures -- SHOP_URL CONSOLE_URL: the pictures of README, the demo shop and the console side by side, light and dark.
// Both are pages of a running `npm start`. Needs Chromium (AISLE_CHROMIUM, else /usr/bin/chromium).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Failure, root, say, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

const FOLDER = join(root, "docs/pictures");
const PAGE = { width: 1000, height: 760 };
const [GAP, EDGE] = [24, 24];

/** Two pictures beside one another on a plain ground. */
const side = (
  colour,
  pictures,
) => `<body style="margin:0;padding:${EDGE}px;display:flex;gap:${GAP}px;background:${colour}">
${pictures.map((bytes) => `<img style="border-radius:10px;border:1px solid #8884" src="data:image/png;base64,${bytes.toString("base64")}">`).join("")}`;

await script(async () => {
  const pages = process.argv.slice(2);
  if (pages.length !== 2) throw new Failure("the addresses of the shop and of the console are expected");
  await setUp("tools");
  const { chromium } = await import("playwright-core");
  mkdirSync(FOLDER, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.AISLE_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  try {
    for (const scheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: PAGE, colorScheme: scheme });
      const pictures = [];
      for (const address of pages) {
        const page = await context.newPage();
        await page.goto(address, { waitUntil: "networkidle" });
        pictures.push(await page.screenshot());
      }
      const both = await context.newPage();
      await both.setViewportSize({ width: 2 * PAGE.width + GAP + 2 * EDGE + 4, height: PAGE.height + 2 * EDGE + 2 });
      await both.setContent(side(scheme === "light" ? "#ffffff" : "#0d1117", pictures));
      const path = join(FOLDER, `shop-and-console-${scheme}.png`);
      await both.screenshot({ path });
      say(path);
    }
  } finally {
    await browser.close();
  }
});
