import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf, send } from "./api.ts";
import { load, say } from "./store.ts";
import type { Stop } from "./types.ts";

/** What is to be stopped or resumed. */
export interface Order {
  readonly action: "stop" | "resume";
  readonly scope: Stop["scope"];
  /** Agent of the session: its other sessions can be stopped with it. */
  readonly agent: string | undefined;
  readonly label: string;
}

interface DialogProps {
  readonly order: Order | undefined;
  readonly onClose: () => void;
}

/** Asks for the reason, and how far a stop goes. The browser keeps the focus inside, and gives it back. */
export function StopDialog({ order, onClose }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (order !== undefined) dialog.current?.showModal();
    else dialog.current?.close();
  }, [order]);
  return (
    <dialog ref={dialog} aria-labelledby="stop-title" onClose={onClose}>
      {order !== undefined && <StopForm key={JSON.stringify(order)} order={order} onClose={onClose} />}
    </dialog>
  );
}

interface CheckProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ text, isOn, onChange }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} /> {text}
    </label>
  );
}

function StopForm({ order, onClose }: { readonly order: Order; readonly onClose: () => void }): JSX.Element {
  const { action, agent, label } = order;
  const [reason, setReason] = useState("");
  const [wide, setWide] = useState(false);
  const [endRunning, setEndRunning] = useState(false);
  const [failure, setFailure] = useState("");
  const isStop = action === "stop";
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const scope = wide && agent !== undefined ? { agent } : order.scope;
    try {
      await send("/v1/stops", { action, scope, reason: reason.trim(), ...(isStop ? { end_running: endRunning } : {}) });
      say(isStop ? `Stopped ${label}` : `Resumed ${label}`);
      onClose();
      await load("stops");
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <h2 id="stop-title">
        {isStop ? "Stop" : "Resume"} {label}
      </h2>
      <p class="sub">
        {isStop
          ? "No further call is admitted until somebody with a key resumes it, also after a restart."
          : "Calls are judged by the policy again."}
      </p>
      <label for="stop-reason">Reason</label>
      <textarea
        id="stop-reason"
        required
        maxLength={1_000}
        rows={2}
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      {isStop && <Check text="End what runs, too" isOn={endRunning} onChange={setEndRunning} />}
      {isStop && agent !== undefined && <Check text={`All sessions of agent ${agent}`} isOn={wide} onChange={setWide} />}
      <p class="problem" role="alert">
        {failure}
      </p>
      <div class="buttons">
        <button type="submit" class={isStop ? "deny" : "primary"} disabled={reason.trim() === ""}>
          {isStop ? "Stop" : "Resume"}
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
