/** App id of the demo shop. */
export const DEMO_APP_ID = "demo";

/** Name of the demo shop. */
export const DEMO_APP_NAME = "Larkfell Outfitters";
