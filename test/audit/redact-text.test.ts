import { describe, expect, test } from "vitest";
import { redactText } from "../../src/audit/redact.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const hex = (text: string): string => Buffer.from(text).toString("hex");

describe("secrets inside text", () => {
  test.each<[string, string]>([
    // Forms that give themselves away.
    [`push with ghp_${"a1B2".repeat(9)} now`, "push with [REDACTED] now"],
    [`gho_${"a1B2".repeat(9)} ghs_${"a1B2".repeat(9)} ghr_${"a1B2".repeat(9)}`, "[REDACTED] [REDACTED] [REDACTED]"],
    [`github_pat_11ABCDEFG0${"x9_".repeat(20)}`, "[REDACTED]"],
    ["id AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE", "id [REDACTED] and [REDACTED]"],
    [`AIza${"SyA1b2".repeat(6)}`, "[REDACTED]"],
    [`say xoxb-${"12345-abcDE".repeat(2)}.`, "say [REDACTED]."],
    ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N end", "jwt [REDACTED] end"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nrest", "[REDACTED]\nrest"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "[REDACTED]"],
    ['{"k":"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n","b":1}', '{"k":"[REDACTED]\\n","b":1}'],
    // Headers.
    ["curl -H 'Authorization: Bearer abc123def' https://h/x", "curl -H 'Authorization: [REDACTED]' https://h/x"],
    ['curl -H "Authorization: Basic dTpw" h', 'curl -H "Authorization: [REDACTED]" h'],
    ["Authorization: token abc123", "Authorization: [REDACTED]"],
    ["curl -H Authorization:\\ Bearer\\ abc123 h; rm x", "curl -H Authorization:\\ [REDACTED] h; rm x"],
    ["sends Bearer EXAMPLE-SECRET along", "sends Bearer [REDACTED] along"],
    ["with Basic dXNlcjpwYXNzd29yZA== here", "with Basic [REDACTED] here"],
    ["X-Api-Key: abc123", "X-Api-Key: [REDACTED]"],
    ["Cookie: sid=abc; theme=dark", "Cookie: [REDACTED]"],
    // Assignments in many grammars.
    ["password=hunter2", "password=[REDACTED]"],
    ["PGPASSWORD=hunter2 psql -h db", "PGPASSWORD=[REDACTED] psql -h db"],
    ["export GITHUB_TOKEN='a b c'; id", "export GITHUB_TOKEN='[REDACTED]'; id"],
    ['password: "a \\" b" # note', 'password: "[REDACTED]" # note'],
    ["API Key: abc123", "API Key: [REDACTED]"],
    ["secret => 'x1y2', other => 'z'", "secret => '[REDACTED]', other => 'z'"],
    ["Server=db;User=sa;Password=p,w1;Timeout=3", "Server=db;User=sa;Password=[REDACTED];Timeout=3"],
    ["https://h/cb?access_token=abc123&state=9", "https://h/cb?access_token=[REDACTED]&state=9"],
    ['--data \'{"user":"u","password":"hunter2"}\'', '--data \'{"user":"u","password":"[REDACTED]"}\''],
    ['-d "{\\"password\\":\\"hunter2\\",\\"a\\":1}"', '-d "{\\"password\\":\\"[REDACTED]\\",\\"a\\":1}"'],
    ["tool --password hunter2 --verbose", "tool --password [REDACTED] --verbose"],
    ["tool --token=hunter2", "tool --token=[REDACTED]"],
    ["curl -u me:hunter2 https://h", "curl -u me:[REDACTED] https://h"],
    ["curl --user 'me:hun ter2' https://h", "curl --user 'me:[REDACTED]' https://h"],
    ["create user u identified by 'hunter2'", "create user u identified by '[REDACTED]'"],
    ["alter role r with password 'hunter2'", "alter role r with password '[REDACTED]'"],
    ["machine h login u password hunter2", "machine h login u password [REDACTED]"],
    ["<user>u</user><password>hunter2</password>", "<user>u</user><password>[REDACTED]</password>"],
    ["openssl rsa -passin pass:hunter2", "openssl rsa -passin pass:[REDACTED]"],
    ["sshpass -p hunter2 ssh h", "sshpass -p [REDACTED] ssh h"],
    ["mysqldump -phunter2 db > /tmp/x", "mysqldump -p[REDACTED] db > /tmp/x"],
    ["docker login -u me -p hunter2 r.example", "docker login -u me -p [REDACTED] r.example"],
    // User information of URLs.
    ["git clone https://me:hunter2@h.example/r.git", "git clone https://[REDACTED]@h.example/r.git"],
    ["postgres://u:p/ss@db:5432/x", "postgres://[REDACTED]@db:5432/x"],
    ["https://u:p@ss@h/x", "https://[REDACTED]@h/x"],
    ["https://abc:@h/x", "https://[REDACTED]@h/x"],
    ["https://0123456789abcdef0123@h/x", "https://[REDACTED]@h/x"],
    ["https://a.blob.example/c?sp=r&sig=aB3%2FcD4eF5gH6iJ7k%3D&x=1", "https://a.blob.example/c?sp=r&sig=[REDACTED]&x=1"],
    ["Uid=sa;Pwd=hunter2;", "Uid=sa;Pwd=[REDACTED];"],
    // Encodings.
    [`data ${base64("password=hunter2-x")}`, "data [REDACTED]"],
    [`data ${base64url('{"client_secret":"ÿþ?hunter2"}')}`, "data [REDACTED]"],
    [`x=${base64(base64("token: abc123def"))}`, "x=[REDACTED]"],
    [`blob/${base64("password=hunter2")}/end`, "blob/[REDACTED]/end"],
    [`hex ${hex("password=hunter2")}`, "hex [REDACTED]"],
    ["next=https%3A%2F%2Fu%3Ahunter2%40h%2F", "[REDACTED]"],
    ['{"password":"hunter2","a":1}', '{"a":1}'],
    [JSON.stringify(JSON.stringify({ password: "hunter2", a: 1 })), '"{\\"a\\":1}"'],
    ['"pass\\u0077ord=hunter2"', '"password=[REDACTED]"'],
    ['{"password":"hunter2","password":true}', '{"password":"[REDACTED]","password":true}'],
    ['{"a":1}\n{"password":"hunter2"}\n', '{"a":1}\n{"password":"[REDACTED]"}\n'],
  ])("%s", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test("base64 in lines", () => {
    const lines = base64(`${"x".repeat(60)}password=hunter2${"y".repeat(60)}`).replaceAll(/(.{76})/g, "$1\n");
    expect(redactText(`file:\n${lines}\nend`)).toBe("file:\n[REDACTED]\nend");
  });

  test("a copy of a secret found in the same text goes too", () => {
    expect(redactText("password=Hunter-2-Long then echo Hunter-2-Long")).toBe("password=[REDACTED] then echo [REDACTED]");
    expect(redactText(`password=Hunter-2-Long then ${base64("say Hunter-2-Long")}`)).toBe("password=[REDACTED] then [REDACTED]");
  });
});

describe("text without secrets stays byte for byte", () => {
  test.each([
    "rm -rf /srv/app",
    "git push --force origin main",
    "the bearer of good news",
    "a basic configuration of the token ring",
    "password=$DB_PASSWORD psql",
    'curl -H "Authorization: Bearer $TOKEN" https://h/x',
    "token=$(vault read -field=x secret/y)",
    "https://host.example:8080/path@v1?x=1",
    "git clone git@github.com:a/b.git && ssh://git@host/x",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "0123456789abcdef0123456789abcdef01234567",
    "use_token: true, password: null, secret=",
    "max_tokens=4096",
    "PWD=/home/me OLDPWD=/tmp ls",
    "docker run -p 8080:80 -u 1000:1000 img".replace(" -u 1000:1000", ""),
    "/usr/local/lib/node_modules/some-package/dist/Component.test.tsx",
    "d290f1ee-6c54-4b01-90e6-d701748f0851",
    "find . -name '*.ts' -exec grep -l Password {} +",
    "password=[REDACTED] Authorization: [REDACTED] https://[REDACTED]@h",
    "",
    "ok",
  ])("%s", (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe("time is linear in hostile text", () => {
  const repeat = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);
  /** Seconds of processor time, not of the clock: linear work takes a fraction of one, quadratic work minutes. */
  const secondsFor = (text: string): number => {
    const started = process.cpuUsage().user;
    redactText(`password=Known-Secret-1 ${text}`);
    return (process.cpuUsage().user - started) / 1_000_000;
  };
  const patterns = [
    "a", "-", "=", ":", "'", '"', "\\", " ", "\\\"", "eyJ", "-eyJ", "eyJa.", ".eyJ", "://", "a://", "://a:b", "a:b@", "-----BEGIN PRIVATE KEY-----", "-----END ", "password=", "password=\"",
    "password='\n", 'password="\\"\n', "password=\\\"x", "password:", "--password ", "-a.", "--a", "-u a:", "bearer ", "basic ", "basic Og==", "authorization: bearer ", "cookie: a=b; ",
    "; a=b", "ghp_", "ghp_a", "_ghp_", "SG.", "SG.aaaaaaaaaaaaaaaaaaaa", "AKIA", "AIza", "xoxb-", "sk-", "login a password ", "identified by ", "<a>", "<password>", "</", "mysql ", "mysql -",
    "sshpass -p", "docker login ", "az ", "%41", "%", "aA0=", "aA0+/", "[", "{", '{"a":', '"', "key: ", "api key ", "deadBEEF", "A\n", "AAAA".repeat(19) + "\n", "\\n", "\\u0041",
  ]; // prettier-ignore

  test.each(patterns)(
    "%j, over and over",
    (pattern) => {
      expect(secondsFor(repeat(pattern, 256 * 1024))).toBeLessThan(5);
    },
    60_000,
  );

  test("a megabyte of each of the worst", () => {
    for (const pattern of ["eyJ", 'password="\\"\n', "://a:b", "aA0+/", "mysql ", "a"])
      expect(secondsFor(repeat(pattern, 1024 * 1024))).toBeLessThan(10);
  }, 120_000);
});
