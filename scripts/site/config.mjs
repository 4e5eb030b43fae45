// The configuration of VitePress, copied by scripts/docs.mjs to where the site is built.
import { readFileSync } from "node:fs";
import { anchorOf } from "./anchors.mjs";

const { sidebar, base, version } = JSON.parse(readFileSync(new URL("site.json", import.meta.url), "utf8"));

export default {
  title: "Aisle",
  description: "A self-hosted service for web shops: subscriptions, events and recommendations",
  lang: "en",
  base,
  srcDir: "pages",
  outDir: "site",
  lastUpdated: false,
  // Files of the repository that are not Markdown.
  ignoreDeadLinks: [/\/files\//],
  markdown: { anchor: { slugify: anchorOf }, languageAlias: { conf: "ini" } },
  themeConfig: {
    nav: [
      { text: "Start", link: "/start" },
      { text: "Integrate", link: "/integrate" },
      { text: "Operate", link: "/operate" },
      { text: `Version ${version}`, link: "/repository/CHANGELOG" },
    ],
    sidebar,
    outline: { level: [2, 3], label: "On this page" },
    search: { provider: "local" },
    docFooter: { prev: "Before", next: "Next" },
    footer: { message: "Apache 2.0" },
  },
};
