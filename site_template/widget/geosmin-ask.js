// Registration, apart from the class: loading this file twice defines the element once. Other sites load ask.js instead.

import { GeosminAsk } from "./element.js";

GeosminAsk.home.find = async (given) => (await import("./engine.js")).still(given);

customElements.get("geosmin-ask") ?? customElements.define("geosmin-ask", GeosminAsk);
