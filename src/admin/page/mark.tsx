import type { JSX } from "preact";

/** The mark of the program. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M8 25V12.5a8 8 0 0 1 16 0V25" />
      <path class="bars" d="M13.2 25v-9M18.8 25v-9" />
    </svg>
  );
}
