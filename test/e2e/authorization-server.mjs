// A real authorization server (oidc-provider) in a process of its own: prints its issuer, and ends with its stdin.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "regate",
      token_endpoint_auth_method: "none",
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      response_types: [],
      redirect_uris: [],
    },
  ],
  features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: `${id}.r` }) }),
  claims: { openid: ["sub", "preferred_username"] },
});
server.on("request", provider.callback());
process.stdin.resume().on("end", () => process.exit(0));
process.stdout.write(`${issuer}\n`);
