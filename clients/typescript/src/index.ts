export * from "./browser.js";
export { type ConnectOptions, connect } from "./connect.js";
