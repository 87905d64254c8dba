// Registration of the search dialog; a page loads it at the first search.

import { GeosminSearch } from "./search.js";

customElements.get("geosmin-search") ?? customElements.define("geosmin-search", GeosminSearch);
