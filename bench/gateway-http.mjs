// A client over Streamable HTTP for gateway.bench.mjs: one session, connections that are kept, answers as JSON or as events.
import { Agent, request } from "node:http";

/** Opens a session. @returns `ask(id, method, params)`, which gives the answer, and `close()` */
export async function openHttp(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session;
  const post = (message) =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
      };
      const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", agent, headers }, (reply) => {
        let text = "";
        session ??= reply.headers["mcp-session-id"];
        reply.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        reply.once("end", () => resolve({ status: reply.statusCode, text })).once("error", reject);
      });
      sent.once("error", reject);
      sent.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
    });
  const ask = async (id, method, params) => {
    const { status, text } = await post({ id, method, params });
    const answers = text.startsWith("{") ? [text] : text.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
    const found = answers.map((one) => (one.trim() === "" ? {} : JSON.parse(one))).find((message) => message.id === id);
    if (found === undefined) throw new Error(`no answer: ${status} ${text.slice(0, 200)}`);
    return found;
  };
  return { ask, tell: (message) => post(message), close: () => agent.destroy() };
}
