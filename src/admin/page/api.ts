const STORED = "regate.key";

let token = sessionStorage.getItem(STORED) ?? "";

/** An answer that is no success. */
export interface ApiError extends Error {
  readonly status: number;
}

/** Whether somebody is signed in, as far as the page knows. */
export function hasToken(): boolean {
  return token !== "";
}

/** Keeps the key for this tab, until it is closed or the human signs out; `""` forgets it. */
export function keepToken(text: string): void {
  token = text;
  if (text === "") sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, text);
}

/** The headers of a request of this key. */
export function bearer(): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Reads one document of the API. @throws ApiError */
export async function read<Answer>(path: string): Promise<Answer> {
  return await answerOf(await fetch(path, { headers: bearer() }));
}

/** Sends one order to the API. @throws ApiError */
export async function send<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { ...bearer(), "content-type": "application/json" };
  return await answerOf(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const answer = (await response.json().catch(() => ({}))) as { error?: string };
  if (response.ok) return answer as Answer;
  throw Object.assign(new Error(answer.error ?? `the server answered ${response.status}`), { status: response.status });
}

/** Tells whether an error is an answer of the API with this status. */
export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Error && (error as Partial<ApiError>).status === status;
}

/** One line for a human. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
