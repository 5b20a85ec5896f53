import type { z } from "zod";
import { httpError } from "../http-error.ts";
import type { Route } from "../route.ts";
import { explainCallSchema, explanationSchema } from "../schemas/explain.ts";

/** Explanations of calls that nobody makes. */
export const EXPLAIN_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/explain",
    id: "explainCall",
    summary: "how the gate would answer a call of a new session, and why; nothing is executed, filed or logged as a call",
    body: explainCallSchema,
    answer: explanationSchema,
    errors: [503],
    async run({ body }, { ports }) {
      const given = body as z.infer<typeof explainCallSchema>;
      if (ports.explain === undefined) throw httpError(503, "explanations are not available here");
      const call =
        "command" in given
          ? { tool: "run_shell", arguments: { command: given.command } }
          : { tool: given.tool, arguments: given.arguments ?? {} };
      return await ports.explain(call);
    },
  },
];
