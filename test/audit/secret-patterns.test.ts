import { expect, test } from "vitest";
import { SECRET_PATTERNS } from "../../src/audit/secret-patterns.ts";
import { redactText } from "../../src/audit/redact.ts";

/** One made-up credential of each kind; not written whole, so that no scanner of this repository stumbles over them. */
const EXAMPLES: Record<string, string> = {
  "GitHub token": `ghu_${"a1B2".repeat(9)}`,
  "GitHub fine-grained token": `github_pat_${"11AB_c".repeat(10)}`,
  "GitLab token": `glpat-${"aB3-d".repeat(4)}`,
  "AWS access key id": `ASIA${"Q7ZK".repeat(4)}`,
  "Google API key": `AIza${"Sy-1b".repeat(7)}`,
  "Google OAuth token": `ya29.${"a0Af-".repeat(8)}`,
  "Google OAuth client secret": `GOCSPX-${"aB3-d".repeat(5)}`,
  "Slack token": `xoxp-${"1234-".repeat(6)}ab`,
  "Slack app token": `xapp-${"1-A0-".repeat(6)}`,
  "Stripe key": `rk_live_${"a1B2".repeat(6)}`,
  "webhook signing secret": `whsec_${"a1B2".repeat(8)}`,
  "model provider key": `sk-ant-${"a1-B2".repeat(8)}`,
  "npm token": `npm_${"a1B2".repeat(9)}`,
  "PyPI token": `pypi-${"AgEI".repeat(16)}`,
  "Docker token": `dckr_pat_${"aB-3".repeat(7)}`,
  "Hugging Face token": `hf_${"aBcD".repeat(9)}`,
  "DigitalOcean token": `dop_v1_${"a1b2".repeat(16)}`,
  "SendGrid key": `SG.${"aB3-".repeat(6)}.${"cD4_".repeat(11)}`,
  "HashiCorp Vault token": `hvs.${"CAES".repeat(24)}`,
  "Shopify token": `shpat_${"a1b2".repeat(8)}`,
  "Grafana token": `glsa_${"aB3d".repeat(8)}_1a2b3c4d`,
  "Atlassian token": `ATATT3${"xFf-".repeat(40)}`,
  "age secret key": `AGE-SECRET-KEY-1${"QP3Z".repeat(14)}`,
};

test.each(SECRET_PATTERNS.map(({ name }) => name))("%s", (name) => {
  const example = EXAMPLES[name] ?? "no example";
  expect(redactText(`uses ${example} here`)).toBe("uses [REDACTED] here");
  expect(redactText(`"${example}"`)).toBe('"[REDACTED]"');
  expect(redactText(`a\\n${example}\\n`)).toBe("a\\n[REDACTED]\\n");
});
