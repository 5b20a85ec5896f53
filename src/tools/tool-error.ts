/**
 * A failure of the tool itself that the agent may read: the message becomes the text of the answer. Any other error is answered with a
 * fixed text, so that no path, stack or secret slips out.
 */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolError";
  }
}

/**
 * The answer of another call that a tool made, a refusal above all, which ends the tool's own: it goes back as it is, with its own text,
 * code and decision (design §1: a refusal's text is the same bytes on every path).
 */
export class PassedOn extends Error {
  /** The other call's whole answer. */
  readonly answer: object;

  constructor(answer: object) {
    super("the answer of another call is passed on");
    this.name = "PassedOn";
    this.answer = answer;
  }
}
