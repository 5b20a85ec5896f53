import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Mark } from "./mark.tsx";
import { signIn, signInProblem } from "./store.ts";

/** Asks for the token of a key. It stays in this tab and is sent to this server alone. */
export function SignIn(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await signIn(field.current?.value.trim() ?? "");
    setBusy(false);
    field.current?.select();
  };
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)} autocomplete="off">
        <Mark />
        <h1>Regate</h1>
        <p>Humans decide here what agents may do. Sign in with your key.</p>
        <label for="token">Key</label>
        <input
          id="token"
          ref={field}
          type="password"
          required
          spellcheck={false}
          autocomplete="off"
          aria-describedby="token-hint token-problem"
          aria-invalid={signInProblem.value !== ""}
        />
        <p id="token-problem" class="problem" role="alert">
          {signInProblem.value}
        </p>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <p id="token-hint" class="hint">
          The content of your key file, <code>~/.config/regate/keys/NAME.key</code>. It stays in this tab and is forgotten when you sign out
          or close it.
        </p>
      </form>
    </main>
  );
}
