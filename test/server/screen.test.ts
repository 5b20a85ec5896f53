import { describe, expect, test } from "vitest";
import { LINE_RULES } from "../../src/server/line-rules.ts";
import { PARAMS_RULES } from "../../src/server/params-rules.ts";
import { MAX_LINE_BYTES, screenLine, TOO_LONG, type ScreenedLine } from "../../src/server/screen.ts";

const screen = (line: string | Uint8Array): ScreenedLine => screenLine(typeof line === "string" ? Buffer.from(line) : line);

/** `rule code id`, or the kind of a line that is not refused. */
function verdict(line: string | Uint8Array): string {
  const screened = screen(line);
  if (screened.kind === "refused") return `${screened.rule} ${screened.code} ${screened.id?.json ?? "null"}`;
  if (screened.kind === "request") return `request ${screened.method} ${screened.id.json}`;
  if (screened.kind === "notification") return `notification ${screened.method}`;
  if (screened.kind === "dropped") return `dropped ${screened.reason}`;
  return screened.kind;
}

const PING = '"jsonrpc":"2.0","method":"ping"';
const call = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const list = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`;

describe("what passes", () => {
  test.each([
    [`{${PING},"id":1}`, "request ping 1"],
    [`{${PING},"id":"1"}`, 'request ping "1"'],
    [`{${PING},"id":""}`, 'request ping ""'],
    [`{${PING},"id":0}`, "request ping 0"],
    [`{${PING},"id":-1}`, "request ping -1"],
    [`{${PING},"id":-0}`, "request ping -0"],
    [`{${PING},"id":1.0}`, "request ping 1.0"],
    [`{${PING},"id":1e2}`, "request ping 1e2"],
    [`{${PING},"id":9007199254740991}`, "request ping 9007199254740991"],
    [`{${PING},"id":9007199254740992}`, "request ping 9007199254740992"],
    [`{${PING},"id":"\\u0000\\ud83d\\ude00"}`, 'request ping "\\u0000😀"'],
    [`{${PING},"id":"\\ud800"}`, 'request ping "\\ud800"'],
    [`{${PING},"id":"__proto__"}`, 'request ping "__proto__"'],
    [` \t{${PING} , "id" : 1 } \r`, "request ping 1"],
    [`{${PING},"id":1,"params":{}}`, "request ping 1"],
    [`{"id":1,"params":{"x":1},"method":"no/such","jsonrpc":"2.0"}`, "request no/such 1"],
    [`{"jsonrpc":"2.0","id":1,"method":""}`, "request  1"],
    [`{"jsonrpc":"2.0","id":1,"method":"Ping"}`, "request Ping 1"],
    [`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}`, "request notifications/cancelled 1"],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', "notification notifications/initialized"],
    ['{"jsonrpc":"2.0","method":"notifications/x/y","params":{"Name":1}}', "notification notifications/x/y"],
    ['{"jsonrpc":"2.0","id":"a","result":{}}', "response"],
    ['{"jsonrpc":"2.0","id":1,"result":{"constructor":1}}', "response"],
    ['{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":""}}', "response"],
    ['{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"","data":[1]}}', "response"],
    ["", "blank"],
    ["  \t ", "blank"],
    ["\r", "blank"],
  ])("%s", (line, expected) => {
    expect(verdict(line)).toBe(expected);
  });
});

describe("what is no message (-32700)", () => {
  const bytes = (...parts: (string | number)[]): Uint8Array =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))));

  test.each([
    ["{", "json -32700 null"],
    ["hello", "json -32700 null"],
    ["undefined", "json -32700 null"],
    [`{${PING},"id":1`, "json -32700 null"],
    [`{${PING},"id":1}}`, "json -32700 null"],
    [`{${PING},"id":1}{${PING},"id":2}`, "json -32700 null"],
    [`{${PING},"id":1,}`, "json -32700 null"],
    [`{${PING},"id":01}`, "json -32700 null"],
    [`{${PING},"id":+1}`, "json -32700 null"],
    [`{${PING},"id":1.}`, "json -32700 null"],
    [`{${PING},"id":.5}`, "json -32700 null"],
    [`{${PING},"id":NaN}`, "json -32700 null"],
    [`{${PING},"id":1,"params":{"a":NaN}}`, "json -32700 null"],
    [`{${PING},"id":1,"params":{"a":Infinity}}`, "json -32700 null"],
    [`{${PING},"id":1,"params":{"a":-Infinity}}`, "json -32700 null"],
    [`{${PING},"id":1,"params":{"a":undefined}}`, "json -32700 null"],
    [`{'jsonrpc':'2.0','id':1,'method':'ping'}`, "json -32700 null"],
    [`{jsonrpc:"2.0",id:1,method:"ping"}`, "json -32700 null"],
    [`{${PING},"id":1} // comment`, "json -32700 null"],
    [`\ufeff{${PING},"id":1}`, "json -32700 null"],
    [`\u00a0{${PING},"id":1}`, "json -32700 null"],
    ["\v", "json -32700 null"],
    ["\u2028", "json -32700 null"],
    [`{${PING},"id":"a\tb"}`, "json -32700 null"],
    [`{${PING},"id":"\\x41"}`, "json -32700 null"],
  ])("%s", (line, expected) => {
    expect(verdict(line)).toBe(expected);
  });

  test.each([
    ["a lone continuation byte", bytes(`{${PING},"id":"`, 0x80, '"}')],
    ["0xff", bytes(`{${PING},"id":"`, 0xff, '"}')],
    ["an overlong slash", bytes(`{${PING},"id":"`, 0xc0, 0xaf, '"}')],
    ["an overlong NUL", bytes(`{${PING},"id":"`, 0xc0, 0x80, '"}')],
    ["a surrogate in UTF-8", bytes(`{${PING},"id":"`, 0xed, 0xa0, 0x80, '"}')],
    ["a cut character", bytes(`{${PING},"id":"`, 0xf0, 0x9f, 0x98, '"}')],
    ["a cut character at the end", bytes(`{${PING},"id":1}`, 0xe2, 0x82)],
    ["beyond U+10FFFF", bytes(`{${PING},"id":"`, 0xf5, 0x80, 0x80, 0x80, '"}')],
    ["Latin-1", bytes(`{${PING},"id":"`, 0xe9, '"}')],
    ["UTF-16 with its mark", Buffer.from(`\ufeff{${PING},"id":1}`, "utf16le")],
  ])("not UTF-8: %s", (_, line) => {
    expect(verdict(line)).toBe("utf8 -32700 null");
  });
});

describe("duplicate keys (-32700), with the id unless it is the one that comes twice", () => {
  test.each([
    [`{${PING},"id":1,"id":1}`, "null"],
    [`{${PING},"id":1,"id":2}`, "null"],
    [`{${PING},"id":1,"\\u0069d":2}`, "null"],
    [`{${PING},"id":1,"method":"tools/call"}`, "1"],
    [`{${PING},"id":1,"jsonrpc":"2.0"}`, "1"],
    [`{${PING},"id":"x","params":{},"params":{}}`, '"x"'],
    [call('{"name":"a","name":"b"}'), "1"],
    [call('{"name":"a","\\u006eame":"b"}'), "1"],
    [call('{"name":"a","arguments":{"x":1,"x":1}}'), "1"],
    [call('{"name":"a","arguments":{"x":[{"y":1,"y":2}]}}'), "1"],
    [call('{"name":"a","arguments":{"__proto__":1,"__proto__":2}}'), "1"],
    [call('{"name":"a","arguments":{},"arguments":{}}'), "1"],
    [call('{"name":"a","_meta":{"x":1,"x":2}}'), "1"],
    [`{${PING},"id":1,"params":{"id":1,"id":2}}`, "1"],
    [`{${PING},"id":1,"ID":2,"x":1,"x":1}`, "null"],
    [`{${PING},"id":null,"x":1,"x":1}`, "null"],
    ['[{"a":1,"a":2}]', "null"],
    ['{"jsonrpc":"2.0","id":"r","result":{"a":1,"a":1}}', "null"],
    ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}', "null"],
  ])("%s", (line, id) => {
    expect(verdict(line)).toBe(`duplicate_key -32700 ${id}`);
  });
});

describe("bad envelopes (-32600)", () => {
  test.each([
    ["[]", "batch", "null"],
    [`[{${PING},"id":1}]`, "batch", "null"],
    [`[{${PING},"id":1},{${PING},"id":2}]`, "batch", "null"],
    ["[[]]", "batch", "null"],
    ["1", "not_object", "null"],
    ["1.0", "not_object", "null"],
    ['"ping"', "not_object", "null"],
    ["null", "not_object", "null"],
    ["true", "not_object", "null"],
    ["{}", "jsonrpc", "null"],
    ['{"id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":"2","id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":"2.0 ","id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":2.0,"id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":2,"id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":null,"id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":["2.0"],"id":1,"method":"ping"}', "jsonrpc", "1"],
    ['{"jsonrpc":"2.0","id":1}', "kind", "1"],
    ['{"jsonrpc":"2.0"}', "kind", "null"],
    ['{"jsonrpc":"2.0","id":1,"params":{}}', "kind", "1"],
    ['{"jsonrpc":"2.0","id":1,"method":null}', "method", "1"],
    ['{"jsonrpc":"2.0","id":1,"method":1}', "method", "1"],
    ['{"jsonrpc":"2.0","id":1,"method":["ping"]}', "method", "1"],
    ['{"jsonrpc":"2.0","id":1,"method":{"toString":"ping"}}', "method", "1"],
    [`{${PING},"id":1,"result":{}}`, "kind", "1"],
    [`{${PING},"id":1,"error":{"code":1,"message":"m"}}`, "kind", "1"],
    [`{${PING},"id":1,"result":null}`, "kind", "1"],
    [`{${PING},"id":1,"extra":1}`, "unknown_key", "1"],
    [`{${PING},"id":1,"_meta":{}}`, "unknown_key", "1"],
    [`{${PING},"id":1,"__proto__":{}}`, "unknown_key", "1"],
    [`{${PING},"id":1,"constructor":{}}`, "unknown_key", "1"],
    [`{${PING},"id":1,"":1}`, "unknown_key", "1"],
    [`{${PING},"extra":1}`, "unknown_key", "null"],
    [`{${PING},"id":1,"name":"x"}`, "unknown_key", "1"],
  ])("%s", (line, rule, id) => {
    expect(verdict(line)).toBe(`${rule} -32600 ${id}`);
  });

  test.each([
    "null",
    "true",
    "false",
    "1.5",
    "-0.1",
    "1e-1",
    "[]",
    "[1]",
    "{}",
    "9007199254740993",
    "-9007199254740993",
    "1e400",
    "12345678901234567890",
    "0.1000000000000000055",
    "1.0000000000000000001",
  ])("id %s", (id) => {
    expect(verdict(`{${PING},"id":${id}}`)).toBe("id -32600 null");
  });

  test.each([
    ['{"jsonrpc":"2.0","result":{}}', "id -32600 null"],
    ['{"jsonrpc":"2.0","id":null,"result":{}}', "id -32600 null"],
    ['{"jsonrpc":"2.0","id":1.5,"result":{}}', "id -32600 null"],
    ['{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":"m"}}', "id -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"result":1}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"result":null}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"result":[]}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"result":{},"params":{}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"error":{}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', "response -32600 null"],
    ['{"jsonrpc":"2.0","id":1,"error":"m"}', "response -32600 null"],
    // an error about something of ours that the client could not read: answering it could go on for ever
    ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}', "dropped an error without an id"],
    ['{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}', "dropped an error without an id"],
  ])("response %s", (line, expected) => {
    expect(verdict(line)).toBe(expected);
  });

  test.each([
    ["Method", "1"],
    ["METHOD", "1"],
    ["method ", "1"],
    [" method", "1"],
    ["method\\u0000", "1"],
    ["me\\u0000thod", "1"],
    ["\\u200bmethod", "1"],
    ["ｍｅｔｈｏｄ", "1"],
    ["Params", "1"],
    ["param\\u017f", "1"],
    ["JSONRPC", "1"],
    ["Jsonrpc", "1"],
    ["j\\u017fonrpc", "1"],
    ["Result", "1"],
    ["re\\u017fult", "1"],
    ["ERROR", "1"],
    ["ID", "null"],
    ["Id", "null"],
    ["iD", "null"],
    ["id\\u0000", "null"],
    ["\\u0131d", "null"],
    ["\\u0130d", "null"],
    ["ｉｄ", "null"],
    ["id\\ufeff", "null"],
  ])("folded key %s", (key, id) => {
    expect(verdict(`{${PING},"id":1,"${key}":"tools/call"}`)).toBe(`folded_key -32600 ${id}`);
    expect(verdict(`{"${key}":"tools/call",${PING},"id":1}`)).toBe(`folded_key -32600 ${id}`);
  });

  test("too deep, with the id", () => {
    const nested = (levels: number): string => `{${PING},"id":7,"params":{"a":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`;
    expect(verdict(nested(256))).toBe("request ping 7");
    expect(verdict(nested(257))).toBe("depth -32600 7");
    expect(verdict(nested(10_000))).toBe("depth -32600 7");
    expect(verdict(nested(500_000))).toBe("depth -32600 7");
    expect(verdict("[".repeat(100_000) + "]".repeat(100_000))).toBe("batch -32600 null");
    expect(verdict("[".repeat(100_000))).toBe("json -32700 null");
    expect(verdict('{"a":'.repeat(100_000))).toBe("json -32700 null");
  });

  test("a line that was too long", () => {
    expect(TOO_LONG).toMatchObject({ kind: "refused", code: -32600 });
    expect(TOO_LONG).not.toHaveProperty("id");
    expect(MAX_LINE_BYTES).toBe(4_194_304);
  });
});

describe("params", () => {
  test.each([
    ["[]", "params_type -32602 1"],
    ["null", "params_type -32602 1"],
    ['"x"', "params_type -32602 1"],
    ["1", "params_type -32602 1"],
    ["false", "params_type -32602 1"],
    ['{"_meta":null}', "meta_type -32602 1"],
    ['{"_meta":[]}', "meta_type -32602 1"],
    ['{"_meta":"x"}', "meta_type -32602 1"],
    ['{"_meta":{"progressToken":null}}', "progress_token -32602 1"],
    ['{"_meta":{"progressToken":1.5}}', "progress_token -32602 1"],
    ['{"_meta":{"progressToken":{}}}', "progress_token -32602 1"],
    ['{"_meta":{"progressToken":9007199254740993}}', "inexact_number -32602 1"],
    ['{"_meta":{"progressToken":0}}', "request tools/list 1"],
    ['{"_meta":{"progressToken":"t"}}', "request tools/list 1"],
    ['{"_meta":{"vendor.example/x":[1.0]}}', "request tools/list 1"],
    ['{"_meta":{"ProgressToken":"t"}}', "meta_folded_key -32600 1"],
    ['{"_meta":{"progre\\u017f\\u017fToken":"t"}}', "meta_folded_key -32600 1"],
    ['{"_meta":{"io.modelcontextprotocol/ProtocolVersion":"2026-07-28"}}', "meta_folded_key -32600 1"],
    ['{"_meta":{"IO.modelcontextprotocol/protocolVersion":"2026-07-28"}}', "meta_folded_key -32600 1"],
    ['{"_meta":{"io.modelcontextprotocol/protocolVersion\\u0000":"2026-07-28"}}', "meta_folded_key -32600 1"],
    ['{"_Meta":{}}', "params_folded_key -32600 1"],
    ['{"Cursor":"x"}', "params_folded_key -32600 1"],
    ['{"cursor":"x"}', "list_cursor -32602 1"],
    ['{"cursor":""}', "list_cursor -32602 1"],
    ['{"cursor":null}', "list_cursor -32602 1"],
    ['{"cursor":1}', "list_cursor -32602 1"],
    ['{"other":1}', "request tools/list 1"],
    ["{}", "request tools/list 1"],
  ])("tools/list %s", (params, expected) => {
    expect(verdict(list(params))).toBe(expected);
  });

  test.each([
    ['{"name":"a"}', "request tools/call 1"],
    ['{"name":""}', "request tools/call 1"],
    ['{"name":"constructor","arguments":{}}', "request tools/call 1"],
    ['{"name":"a","arguments":{"Name":"b","ARGUMENTS":1,"name\\u0000":2,"_Meta":3,"id":null,"jsonrpc":1}}', "request tools/call 1"],
    ['{"name":"a","arguments":{"__proto__":{"x":1},"constructor":2,"toString":3}}', "request tools/call 1"],
    ['{"name":"a","arguments":{"n":[0.1,1.0,1e2,-0,1.10,1E2,0.0,5e-324]}}', "request tools/call 1"],
    ['{"name":"a","task":{"ttl":1000},"inputResponses":{},"requestState":"s","_meta":{}}', "request tools/call 1"],
    ["{}", "call_name -32602 1"],
    ['{"arguments":{}}', "call_name -32602 1"],
    ['{"name":null}', "call_name -32602 1"],
    ['{"name":1}', "call_name -32602 1"],
    ['{"name":["a"]}', "call_name -32602 1"],
    ['{"name":{"a":1}}', "call_name -32602 1"],
    ['{"name":true}', "call_name -32602 1"],
    ['{"name":"a","arguments":null}', "call_arguments -32602 1"],
    ['{"name":"a","arguments":[]}', "call_arguments -32602 1"],
    ['{"name":"a","arguments":"{}"}', "call_arguments -32602 1"],
    ['{"name":"a","arguments":0}', "call_arguments -32602 1"],
    ['{"name":"a","arguments":false}', "call_arguments -32602 1"],
    ['{"name":"a","task":null}', "call_task -32602 1"],
    ['{"name":"a","task":[]}', "call_task -32602 1"],
    ['{"name":"a","inputResponses":[]}', "call_responses -32602 1"],
    ['{"name":"a","requestState":1}', "call_state -32602 1"],
    ['{"name":"a","requestState":null}', "call_state -32602 1"],
    ['{"name":"a","_meta":[]}', "meta_type -32602 1"],
    ['{"name":"a","extra":1}', "call_key -32602 1"],
    ['{"name":"a","tool":"b"}', "call_key -32602 1"],
    ['{"name":"a","__proto__":{"name":"b"}}', "call_key -32602 1"],
    ['{"name":"a","constructor":1}', "call_key -32602 1"],
    ['{"__proto__":{"name":"a"}}', "call_key -32602 1"],
    ['{"name":"a","Name":"b"}', "params_folded_key -32600 1"],
    ['{"Name":"b","name":"a"}', "params_folded_key -32600 1"],
    ['{"Name":"b"}', "params_folded_key -32600 1"],
    ['{"name":"a","NAME":"b"}', "params_folded_key -32600 1"],
    ['{"name":"a","name\\u0000":"b"}', "params_folded_key -32600 1"],
    ['{"name":"a","name ":"b"}', "params_folded_key -32600 1"],
    ['{"name":"a","\\uff4eame":"b"}', "params_folded_key -32600 1"],
    ['{"name":"a","Arguments":{}}', "params_folded_key -32600 1"],
    ['{"name":"a","argument\\u017f":{}}', "params_folded_key -32600 1"],
    ['{"name":"a","ta\\u017f\\u212a":{}}', "params_folded_key -32600 1"],
    ['{"name":"a","requeststate":""}', "params_folded_key -32600 1"],
    ['{"name":"a","_META":{}}', "params_folded_key -32600 1"],
    ['{"name":"a","arguments":{"n":9007199254740993}}', "inexact_number -32602 1"],
    ['{"name":"a","arguments":{"n":1e400}}', "inexact_number -32602 1"],
    ['{"name":"a","arguments":{"n":-1e400}}', "inexact_number -32602 1"],
    ['{"name":"a","arguments":{"n":0.1000000000000000055511151231257827}}', "inexact_number -32602 1"],
    ['{"name":"a","arguments":{"n":[[{"m":12345678901234567890}]]}}', "inexact_number -32602 1"],
    ['{"name":"a","arguments":{"n":1e-400}}', "inexact_number -32602 1"],
  ])("tools/call %s", (params, expected) => {
    expect(verdict(call(params))).toBe(expected);
  });

  test("tools/call without params", () => {
    expect(verdict('{"jsonrpc":"2.0","id":1,"method":"tools/call"}')).toBe("call_name -32602 1");
  });

  test("the inexact number's place is named", () => {
    const screened = screen(call('{"name":"a","arguments":{"list":[1,{"n":9007199254740993}]}}'));
    expect(screened).toMatchObject({
      message: "the number `9007199254740993` at `params.arguments.list[1].n` does not fit a double exactly: send it as a string",
    });
  });

  test("user text in messages is bounded and escaped", () => {
    const screened = screen(`{${PING},"id":1,"${"k".repeat(100_000)}\\n":1}`);
    expect(screened).toMatchObject({ message: `unknown key \`${"k".repeat(64)}…\`` });
    expect(screen(`{${PING},"id":1,"a\\nb":1}`)).toMatchObject({ message: "unknown key `a\\nb`" });
  });

  test("other methods' params are theirs", () => {
    expect(verdict('{"jsonrpc":"2.0","id":1,"method":"x/custom","params":{"Name":1,"cursor":2,"extra":[]}}')).toBe("request x/custom 1");
    expect(verdict('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"ProtocolVersion":"x"}}')).toBe("params_folded_key -32600 1");
  });
});

describe("no id: no answer", () => {
  test.each([
    [
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"run_shell","arguments":{"command":"ls"}}}',
      "dropped a request method without an id",
    ],
    ['{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","Name":"b"}}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"tools/call","params":[]}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"initialize"}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"ping"}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"server/discover"}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"x/custom"}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":""}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"Notifications/cancelled"}', "dropped a request method without an id"],
    ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}', "dropped a notification with bad params"],
    ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"RequestId":1}}', "dropped a notification with bad params"],
    [
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}',
      "dropped a notification with bad params",
    ],
  ])("%s", (line, expected) => {
    expect(verdict(line)).toBe(expected);
  });
});

test("params reach the request as they were sent", () => {
  expect(screen(call('{"name":"a","arguments":{"__proto__":{"x":[1,"\u2028"]}},"requestState":"s"}'))).toMatchObject({
    params: JSON.parse('{"name":"a","arguments":{"__proto__":{"x":[1,"\u2028"]}},"requestState":"s"}') as object,
  });
});

describe("the tables", () => {
  test("ids are unique and in the frozen order", () => {
    expect([...LINE_RULES, ...PARAMS_RULES].map(({ id, code }) => `${id} ${code}`)).toEqual([
      "duplicate_key -32700",
      "batch -32600",
      "not_object -32600",
      "depth -32600",
      "folded_key -32600",
      "unknown_key -32600",
      "jsonrpc -32600",
      "method -32600",
      "kind -32600",
      "response -32600",
      "id -32600",
      "params_type -32602",
      "params_folded_key -32600",
      "meta_type -32602",
      "meta_folded_key -32600",
      "progress_token -32602",
      "inexact_number -32602",
      "call_key -32602",
      "call_name -32602",
      "call_arguments -32602",
      "call_task -32602",
      "call_responses -32602",
      "call_state -32602",
      "list_cursor -32602",
    ]);
  });
});
