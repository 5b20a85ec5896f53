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
