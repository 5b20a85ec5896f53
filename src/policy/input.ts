import { z } from "zod";

/** A word of a shell command: its dequoted text, or a dynamic word that cannot be read statically. */
const shellWord = z.union([
  z.string(),
  z.object({ dynamic: z.boolean().optional().describe("always true"), text: z.string().optional().describe("source text of the word") }),
]);

const agent = z
  .object({
    id: z.string().optional().describe("id of the agent: `--agent-id`, its environment variables, else `mcp-<pid>`"),
    session_id: z.string().optional().describe("id of the session, `mcp-<unix nanoseconds>`; the same as `session_id`"),
    kind: z.string().optional().describe("`mcp`"),
    risk: z.enum(["read", "mutable", "destructive", "unknown"]).optional().describe("class of this call"),
    dry_run: z.boolean().optional().describe("true only for run_shell with the strict boolean `dry_run: true`"),
  })
  .describe("the process claim and the class of this call; nothing in it can come from tool arguments");

const tool = z
  .object({
    name: z.string().optional().describe("wire name"),
    command_key: z.string().nullable().optional().describe("registry key such as `config.switch`; null for console tools"),
    source: z.enum(["local", "upstream"]).optional().describe("where the tool lives"),
    server: z.string().optional().describe("configured id of the upstream server; empty for local tools"),
    known: z.boolean().optional().describe("false for a tool that nobody declared; such a tool counts as mutating"),
    read_only: z.boolean().optional().describe("changes nothing"),
    destructive: z.boolean().optional().describe("may destroy what exists"),
    handoff: z.boolean().optional().describe("hands its result over to somebody else"),
    live_write: z.boolean().optional().describe("writes to a live system outside"),
    open_world: z.boolean().optional().describe("reaches beyond this machine"),
    pinned: z.boolean().optional().describe("definition of an upstream tool is pinned by digest"),
    labels: z.array(z.string()).optional().describe("labels of the configuration; absent when there are none"),
    digest: z.string().optional().describe("digest of the definition of an upstream tool; absent for local tools"),
    arguments_checked: z
      .enum(["types", "full", "off"])
      .optional()
      .describe("how the arguments of an upstream tool are checked against its inputSchema before they are forwarded"),
  })
  .describe("declared facts about the tool");

const session = z
  .object({
    identity_confirmed: z.boolean().optional().describe("an identity read has happened since the start or the last switch"),
    confirmed_profile: z
      .string()
      .nullable()
      .optional()
      .describe("label that the identity read showed; null before it, or when no profile was active"),
    epoch: z.int().optional().describe("number of switches so far"),
  })
  .describe("the identity state machine of the session; rules of gate/listing must not read it");

const client = z
  .object({
    elicitation: z.boolean().optional().describe("the client can ask the human"),
    name: z.string().optional(),
    version: z.string().optional(),
  })
  .describe("what the client says about itself; proves nothing");

const usage = z
  .object({
    calls: z.int().optional().describe("calls of the session"),
    tool_calls: z.int().optional().describe("calls of this tool in the session"),
    calls_last_minute: z.int().optional().describe("calls of the session in the last 60 seconds"),
    running: z.int().optional().describe("calls of the session whose handler runs now"),
    denied: z.int().optional().describe("refused calls of the session"),
    elapsed_seconds: z.number().optional().describe("seconds since the session began"),
  })
  .describe("counted by the corridor, this call not included; absent in gate/listing");

const approval = z
  .object({
    approved: z.boolean().optional().describe("the human's decision"),
    approvers: z.array(z.string()).optional().describe("owners of the keys that approved it"),
    at: z.string().optional().describe("RFC 3339 UTC"),
  })
  .describe("present when the call is resumed after a human's decision");

const shell = z
  .object({
    verifiable: z.boolean().optional().describe("false when something in the command cannot be read statically"),
    destructive: z.boolean().optional().describe("a destructive finding, or not verifiable"),
    findings: z
      .array(
        z.object({
          rule: z.string().optional().describe("id of the classifier's rule"),
          verdict: z.enum(["destructive", "unverifiable"]).optional(),
          word: z.string().optional().describe("the word that it found"),
          start: z.int().optional().describe("offset in UTF-16 units"),
          end: z.int().optional(),
        }),
      )
      .optional(),
    commands: z
      .array(
        z.object({
          name: z.string().optional().describe("program, without its folder"),
          argv: z.array(shellWord).optional().describe("all words, the program first"),
          via: z.array(z.string()).optional().describe("wrappers such as `sudo` that were passed through"),
        }),
      )
      .optional()
      .describe("every simple command that the script would run; empty for one that only redirects or assigns"),
    redirects: z.array(z.object({ op: z.string().optional(), target: shellWord.optional() })).optional(),
  })
  .describe("analysis of the command; only for run_shell");

const elevation = z
  .object({
    role: z.string().optional().describe("such as `human-approved-agent`"),
    reason: z.string().optional().describe("why it was granted"),
    tools: z.array(z.string()).optional().describe("wire names of the tools that it covers"),
    expires_at: z.string().optional().describe("RFC 3339 UTC"),
  })
  .describe("the active elevation; absent when there is none");

const leaseFields = z.object({
  id: z.string().optional(),
  source_type: z.string().optional(),
  source_name: z.string().optional(),
  destination: z.string().optional().describe("name of the variable that gets the secret"),
  ttl_seconds: z.int().optional(),
});

const lease = leaseFields
  .extend({ others: z.array(leaseFields).optional().describe("further leases of the same command; absent when there are none") })
  .describe("metadata of the lease in use, the latest of several, never the secret; absent when there is none");

/**
 * The policy input of design §2: one flat document, the same for `gate/decision` and `gate/listing`. Regate fills it with
 * `buildPolicyInput`; `regate decide` takes it from its caller. Nothing is required, because the engine requires nothing: a missing
 * field and one of the wrong type are for the policy to judge, and the shipped rules refuse both. From this schema comes
 * `policy/schemas/input.json`, with which `opa check --schema` finds misspelt references.
 */
export const policyInputSchema = z
  .object({
    time: z.string().optional().describe("RFC 3339 UTC, frozen when the call entered the corridor"),
    user: z.string().optional().describe("user of the session"),
    groups: z.array(z.string()).optional().describe("groups of that user; never null"),
    session_id: z.string().optional().describe("id of the session; the same as `agent.session_id`"),
    agent: agent.optional(),
    command: z.string().optional().describe("wire name of the tool; on `execute` that of the inner tool"),
    args: z.array(z.string()).optional().describe("arguments as sorted `key=value` strings: strings verbatim, other values as JSON"),
    arguments: z.record(z.string(), z.any()).optional().describe("arguments as the tool will receive them; written by the model"),
    tool: tool.optional(),
    path: z.enum(["direct", "execute", "script", "delegated"]).optional().describe("how the call came in"),
    session: session.optional(),
    profile: z
      .object({ active: z.string().nullable().optional().describe("label or null") })
      .optional()
      .describe("the active profile"),
    client: client.optional(),
    usage: usage.optional(),
    approval: approval.optional(),
    workdir: z.string().optional().describe("working directory of run_shell"),
    method: z.string().optional().describe("`tools/call`; in gate/message and gate/result the method of the message"),
    from: z.enum(["client", "upstream"]).optional().describe("gate/message: who sent the message"),
    params: z.record(z.string(), z.any()).optional().describe("gate/message, gate/result: params of the message; absent for calls"),
    result: z
      .record(z.string(), z.any())
      .optional()
      .describe("gate/result: the result as the upstream sent it; gate/message: a client's answer to roots/list"),
    context: z.record(z.string(), z.any()).optional().describe("what the host supplies, never from arguments; absent when not set"),
    shell: shell.optional(),
    environment: z
      .object({ sandbox: z.enum(["bwrap", "none"]).optional().describe("how run_shell is confined") })
      .optional()
      .describe("facts about this process"),
    elevation: elevation.optional(),
    lease: lease.optional(),
    subject: z.record(z.string(), z.any()).optional().describe("identity from a tool-session record of a delegated call"),
    envelope: z
      .record(z.string(), z.any())
      .optional()
      .describe("what the message of a delegated call claims; for audit only, nothing may be decided by it"),
  })
  .describe("Input of a Regate policy");

/** One policy input, as `buildPolicyInput` makes it and `policy/schemas/input.json` describes it. */
export type PolicyInput = z.infer<typeof policyInputSchema>;
