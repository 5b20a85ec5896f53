import { alphanumeric, type RunKind } from "./runs.ts";

/** What stands in the place of an erased text. */
export const REDACTED = "[REDACTED]";

/** One kind of credential that its own form gives away. */
interface SecretPattern {
  readonly name: string;
  /** Regular expression source; must not be able to fail after an unbounded run that a later start would scan again. */
  readonly source: string;
}

/**
 * Credentials with a form of their own, from their issuers' documentation. Each either consumes its unbounded run or is bounded, so that a
 * scan stays linear on hostile text.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  { name: "GitHub token", source: "gh[pousr]_[A-Za-z0-9]{10,}" },
  { name: "GitHub fine-grained token", source: "github_pat_\\w{10,}" },
  { name: "GitLab token", source: "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[\\w-]{10,}" },
  { name: "AWS access key id", source: "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])" },
  { name: "Google API key", source: "AIza[\\w-]{20,}" },
  { name: "Google OAuth token", source: "ya29\\.[\\w.-]{10,}" },
  { name: "Google OAuth client secret", source: "GOCSPX-[\\w-]{10,}" },
  { name: "Slack token", source: "xox[a-z]-[\\w-]{10,}" },
  { name: "Slack app token", source: "xapp-[\\w-]{10,}" },
  { name: "Stripe key", source: "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}" },
  { name: "webhook signing secret", source: "whsec_[A-Za-z0-9+/=]{10,}" },
  { name: "model provider key", source: "sk-[\\w-]{20,}" },
  { name: "npm token", source: "npm_[A-Za-z0-9]{20,}" },
  { name: "PyPI token", source: "pypi-[\\w-]{20,}" },
  { name: "Docker token", source: "dckr_(?:pat|oat)_[\\w-]{10,}" },
  { name: "Hugging Face token", source: "hf_[A-Za-z0-9]{20,}" },
  { name: "DigitalOcean token", source: "do[opr]_v1_[a-f0-9]{20,}" },
  { name: "SendGrid key", source: "SG\\.[\\w-]{16,64}\\.[\\w-]{16,}" },
  { name: "HashiCorp Vault token", source: "hv[sbr]\\.[\\w-]{20,}" },
  { name: "Shopify token", source: "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}" },
  { name: "Grafana token", source: "gl(?:sa|c)_[\\w+/=]{20,}" },
  { name: "Atlassian token", source: "ATATT3[\\w=-]{20,}" },
  { name: "age secret key", source: "AGE-SECRET-KEY-1[A-Z0-9]{20,}" },
];

/** A token may begin where no letter or digit stands before it, or after an escape such as `\n` in JSON text. */
const START = "(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4}))";

/** First characters of the patterns: looked at first, since most places in a text begin none of them. */
const FIRST = "(?=[gAyGxsrwnpdhS])";
const ANY = `(?:${SECRET_PATTERNS.map((pattern) => pattern.source).join("|")})`;

/** All of `SECRET_PATTERNS` in one scan: a token, and those that follow it without a gap. */
export const TOKENS = new RegExp(`${FIRST}${START}${ANY}+`, "g");

/** What every token stands in, together with an escape before it: `ghp_` and ten more are the shortest. */
export const TOKEN_RUNS: RunKind = { alphabet: alphanumeric("_.+/=-\\"), shortest: 14 };

/** Signatures of signed URLs. */
export const SIGNATURES = /(?<=[?&](?:sig|Signature|X-Amz-Signature|X-Goog-Signature)=)[\w%+/=-]{16,}/g;

/**
 * JSON web tokens, signed or encrypted. Its start excludes `-` and `_` too: otherwise a long run of them could be scanned once for each
 * of its parts.
 */
export const WEB_TOKENS = /(?:(?<![\w-])|(?<=\\[nrtbf]))eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){1,3}/g;
