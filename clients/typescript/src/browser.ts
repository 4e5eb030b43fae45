export { withDefaults } from "./defaults.js";
export { type FieldViolation, fieldsOf, reasonOf, retryDelayMs } from "./errors.js";
export * from "./messages.js";
export { pages } from "./pages.js";
export type { Reason } from "./reasons.js";
export { type RecordAllOptions, type RecordedTotals, recordAll } from "./record-all.js";
export { type Clients, clientsOver } from "./services.js";
export { wait } from "./wait.js";
export { watch } from "./watch.js";
