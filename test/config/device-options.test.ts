import { describe, expect, it } from "vitest";
import { governedToolOptions } from "../../src/config/tool-settings.ts";

function options(flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const values = new Map(Object.entries(flags));
  return governedToolOptions({ flags: { values, switches: new Set() }, env, cwd: "/", home: "/", pid: 1 }).deviceIssuer;
}

describe("the authorization server of device logins", () => {
  it("is there when issuer and client are given, by flag or environment", () => {
    expect(options({})).toBeUndefined();
    const expected = { issuer: "https://id.example", clientId: "c", scope: "openid" };
    expect(options({ "device-issuer": "https://id.example", "device-client-id": "c" })).toEqual(expected);
    expect(options({}, { REGATE_DEVICE_ISSUER: "https://id.example", REGATE_DEVICE_CLIENT_ID: "c", REGATE_DEVICE_SCOPE: "" })).toEqual(
      expected,
    );
    expect(options({ "device-issuer": "http://[::1]:80/x", "device-client-id": "c", "device-scope": "openid profile" })).toEqual({
      issuer: "http://[::1]:80/x",
      clientId: "c",
      scope: "openid profile",
    });
  });

  it.each([
    ["http://id.example"],
    ["http://127.0.0.1.example"],
    ["ftp://127.0.0.1"],
    ["https://u@id.example"],
    ["https://id.example?x=1"],
    ["https://id.example#x"],
    ["id.example"],
  ])("is never `%s`", (issuer) => {
    expect(() => options({ "device-issuer": issuer, "device-client-id": "c" })).toThrow("must be an https URL");
  });

  it("needs both, and fit values", () => {
    expect(() => options({ "device-issuer": "https://id.example" })).toThrow("needs `--device-client-id`");
    expect(() => options({ "device-client-id": "c" })).toThrow("needs `--device-issuer`");
    expect(() => options({ "device-issuer": "https://id.example", "device-client-id": "a b" })).toThrow("visible ASCII");
    expect(() => options({ "device-issuer": "https://id.example", "device-client-id": "c", "device-scope": "a  b" })).toThrow(
      "scopes joined by one blank",
    );
  });
});
