// Whether all that the server runs with may be used and passed on under Apache-2.0. Looks at what `npm run sbom` lists.
import { Failure } from "./lib.mjs";
import { readSbom } from "./sbom.mjs";

/** SPDX ids. Another one needs a look at what it demands before it stands here. */
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** True for a licence of a CycloneDX component; expressions are `OR` of `AND`, as packages write them. */
function isAccepted({ license, expression }) {
  if (expression === undefined) return ACCEPTED.has(license?.id);
  return expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((id) => ACCEPTED.has(id)));
}

/** Lines for the components of a CycloneDX document whose licence is not accepted, or not stated. */
export function refusedLicences({ components }) {
  return components.flatMap(({ name, version, licenses = [] }) => {
    if (licenses.length > 0 && licenses.every(isAccepted)) return [];
    const stated = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(", ");
    return [`${name}@${version}: ${stated || "none stated"}`];
  });
}

/** @throws Failure that names each package with another licence */
export async function checkLicences() {
  const document = await readSbom();
  const refused = refusedLicences(document);
  if (refused.length > 0)
    throw new Failure(`licences that are not accepted (scripts/licences.mjs):\n  ${refused.join("\n  ")}`);
  return `${document.components.length} packages`;
}
