// Asks the questions of standard input ({ code, questions }) through the transport that `code` makes, and prints the messages.
import { DefaultChatTransport, readUIMessageStream } from "ai";

const text = await new Response(process.stdin).text();
const { code, questions } = JSON.parse(text);
const transport = new Function("DefaultChatTransport", `${code}\nreturn transport;`)(DefaultChatTransport);
const messages = [];
for (const [index, question] of questions.entries()) {
  messages.push({ id: `u${index}`, role: "user", parts: [{ type: "text", text: question }] });
  const stream = await transport.sendMessages({ trigger: "submit-message", chatId: "c", messageId: undefined, messages, abortSignal: undefined });
  let last = null;
  for await (const state of readUIMessageStream({ stream })) last = state;
  messages.push(last);
}
process.stdout.write(JSON.stringify(messages));
