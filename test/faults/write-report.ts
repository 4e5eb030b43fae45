// Writes what the tests of this folder saw last into docs/faults.md (`npm run faults`).
import { writeReport } from "./report.js";

writeReport();
