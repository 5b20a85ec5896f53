import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** What the text is, and who is told that its end was on the screen. */
export interface ExactTextProps {
  readonly text: string;
  readonly label: string;
  readonly onSeen: () => void;
}

/** The whole text of a call, never cut. Its end counts as seen when it was on the screen: scrolled to in its box, and in the window (trial P09). */
export function ExactText({ text, label, onSeen }: ExactTextProps): JSX.Element {
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      onSeen();
      watch.disconnect();
    });
    if (end.current !== null) watch.observe(end.current);
    return () => watch.disconnect();
  }, [text]);
  return (
    // A region that scrolls must be reachable by keyboard.
    <div class="exact" role="region" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
      <span class="end" ref={end} aria-hidden="true" />
    </div>
  );
}
