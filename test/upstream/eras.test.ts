import { describe, expect, it } from "vitest";
import { ENVELOPE } from "../e2e/http-kit.ts";
import { codeOf, startGateway } from "./gateway-kit.ts";

const MODERN_ONLY = { modern: true, modernOnly: true };
const TOLD = "server `m` did not come up: it refused the handshake (-32601, `Method not found`); a server of revision 2026-07-28 alone";

describe("[gateway:pumping] a legacy client and a server of 2026-07-28 alone", () => {
  it("the one server's own error is the answer, and stderr says why its tools are absent", async () => {
    const gateway = startGateway({ servers: { m: MODERN_ONLY } });
    expect((await gateway.hello()).error).toEqual({ code: -32601, message: "Method not found" });
    expect((await gateway.ask({ id: 1, method: "tools/list" })).result?.["tools"]).toEqual([]);
    expect(codeOf(await gateway.call("echo"))).toBe("upstream.unavailable");
    await expect.poll(gateway.stderr).toContain(TOLD);
    expect(gateway.bytes("m")).not.toContain("tools/call");
  });

  it("beside others it is absent, and they are served", async () => {
    const gateway = startGateway({ servers: { m: MODERN_ONLY, old: {}, both: { modern: true } } });
    expect((await gateway.hello()).result?.["protocolVersion"]).toBe("2025-11-25");
    const { tools } = (await gateway.ask({ id: 1, method: "tools/list" })).result as { tools: { name: string }[] };
    expect(new Set(tools.map(({ name }) => name.split("__")[0]))).toEqual(new Set(["old", "both"]));
    expect(codeOf(await gateway.call("old__echo"))).toBe("ok");
    expect(codeOf(await gateway.call("both__echo"))).toBe("ok");
    expect(codeOf(await gateway.call("m__echo"))).toBe("upstream.unavailable");
    await expect.poll(gateway.stderr).toContain(TOLD);
  });
});

describe("[gateway:pumping] a modern client and a server of 2026-07-28 alone", () => {
  it("that takes longer to start than it may think is served all the same", async () => {
    const gateway = startGateway({ servers: { m: { ...MODERN_ONLY, startMs: 1_100 } } });
    const { result } = await gateway.ask({ id: 1, method: "tools/list", params: { _meta: ENVELOPE } });
    expect(result?.["tools"]).not.toEqual([]);
    expect(codeOf(await gateway.call("echo", {}, { _meta: ENVELOPE }))).toBe("ok");
    expect(gateway.bytes("m")).not.toContain('"initialize"');
  });
});
