// Writes what the tests of this folder saw last into README (`npm run faults`).
import { writeReport } from "./report.js";

writeReport();
