/** Entry of the console's page in a browser. */
import { render } from "preact";
import { App } from "./app.js";

const place = document.getElementById("console");
if (place !== null) render(<App now={Date.now} />, place);
