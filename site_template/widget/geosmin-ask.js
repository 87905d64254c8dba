// Registration, apart from the classes: loading this file twice defines each element once.

import { GeosminAsk } from "./element.js";
import { GeosminSearch } from "./search.js";

customElements.get("geosmin-ask") ?? customElements.define("geosmin-ask", GeosminAsk);
customElements.get("geosmin-search") ?? customElements.define("geosmin-search", GeosminSearch);

export { GeosminAsk, GeosminSearch };
