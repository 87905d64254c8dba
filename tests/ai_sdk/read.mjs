// Reads a stream of server-sent events from standard input as an AI SDK client does, and prints what it made of it.
import { Readable } from "node:stream";
import { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from "ai";

const chunks = [];
const faults = [];
const parsed = parseJsonEventStream({ stream: Readable.toWeb(process.stdin), schema: uiMessageChunkSchema });
const stream = parsed.pipeThrough(
  new TransformStream({
    transform(part, controller) {
      if (!part.success) faults.push(String(part.error));
      else {
        chunks.push(part.value.type);
        controller.enqueue(part.value);
      }
    },
  }),
);
let message = null;
for await (const state of readUIMessageStream({ stream, onError: (error) => faults.push(String(error)) })) message = state;
process.stdout.write(JSON.stringify({ chunks, faults, message }));
