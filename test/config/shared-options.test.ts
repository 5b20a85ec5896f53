import { describe, expect, it } from "vitest";
import { sharedOptions } from "../../src/config/shared-settings.ts";

function options(flags: Record<string, string>, env: Record<string, string> = {}) {
  const sources = { values: new Map(Object.entries(flags)), switches: new Set<string>() };
  return sharedOptions({ flags: sources, env, cwd: "/", home: "/", pid: 1 });
}

const URL_WITH_PASSWORD = "redis://state:secret@10.0.0.5:6379";

describe("--shared-state", () => {
  it("is off unless it is given, by flag or environment", () => {
    expect(options({})).toEqual({});
    expect(options({ "shared-state": URL_WITH_PASSWORD })).toEqual({ shared: { url: URL_WITH_PASSWORD, prefix: "sg" } });
    expect(options({ "redis-prefix": "{x}" }, { REGATE_SHARED_STATE: URL_WITH_PASSWORD })).toEqual({
      shared: { url: URL_WITH_PASSWORD, prefix: "{x}" },
    });
  });

  it.each(["10.0.0.5:6379", "http://state:secret@10.0.0.5", "redis://", "secret"])("refuses `%s` without repeating it", (value) => {
    expect(() => options({ "shared-state": value })).toThrow(/^`--shared-state` must be a URL such as redis:/);
    expect(() => options({}, { REGATE_SHARED_STATE: value })).toThrow(/^`REGATE_SHARED_STATE` must be a URL/);
    expect(() => options({ "shared-state": value })).not.toThrow(/secret/);
  });
});

describe("--shared-session", () => {
  it("names what servers over stdio share", () => {
    expect(options({ "shared-state": URL_WITH_PASSWORD, "shared-session": "desk" }).shared).toMatchObject({ name: "desk" });
  });

  it("is refused where it would share nothing", () => {
    expect(() => options({ "shared-session": "desk" })).toThrow("`--shared-session` needs `--shared-state`");
    const http = { "shared-state": URL_WITH_PASSWORD, "shared-session": "desk", listen: "127.0.0.1:0" };
    expect(() => options(http)).toThrow("`--shared-session` is for servers over stdio");
    expect(() => options({ "shared-state": URL_WITH_PASSWORD, "shared-session": "a b" })).toThrow("must be 1 to 64");
  });
});
