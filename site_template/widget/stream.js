// Server-sent events, decoded: bytes may be cut anywhere (inside a character, between CR and LF), comments keep the
// connection alive, a field may span several lines. Yields the parsed JSON of each event and ends at [DONE].

const MOST = 4_000_000; // characters of one event: whoever sends more is no endpoint of ours

export class EventDecoder {
  #text = "";
  #data = [];
  #carriage = false;

  // Returns the data of the events that `chunk` completes. Throws RangeError when an event does not end.
  push(chunk) {
    if (!chunk) return [];
    const rest = this.#carriage && chunk.startsWith("\n") ? chunk.slice(1) : chunk; // the second half of a CR LF
    this.#carriage = chunk.endsWith("\r");
    const lines = (this.#text + rest).split(/\r\n|\r|\n/);
    this.#text = lines.pop();
    if (this.#text.length > MOST) throw new RangeError();
    return lines.map((line) => this.#line(line)).filter((data) => data !== null);
  }

  #line(line) {
    if (line === "") {
      const data = this.#data.join("\n");
      const ready = this.#data.length > 0;
      this.#data = [];
      return ready ? data : null;
    }
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
    if (field === "data") this.#data.push(value ?? "");
    return null;
  }
}

// `alive` is called for every piece that comes, comments included.
export async function* events(body, alive = () => {}) {
  const reader = body.getReader();
  const utf8 = new TextDecoder();
  const decoder = new EventDecoder();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      alive();
      const chunk = done ? utf8.decode() + "\n\n" : utf8.decode(value, { stream: true });
      for (const data of decoder.push(chunk)) {
        if (data === "[DONE]") return;
        yield JSON.parse(data);
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {}); // the reader left early: let the server stop too
  }
}
