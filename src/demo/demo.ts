export { demoCurlLines } from "./curl-lines.js";
export { createDemoFiles, type DemoFile, demoPage } from "./files.js";
export { demoPicture } from "./picture/picture.js";
export { demoProducts } from "./products.js";
export { DEMO_APP_ID, DEMO_APP_NAME } from "./shop.js";
export { DEMO_COMPLEMENTS } from "./visits/complements.js";
export { type DemoEventsOptions, demoEvents } from "./visits/events.js";
export { DEMO_VISITOR } from "./visits/visitors.js";
