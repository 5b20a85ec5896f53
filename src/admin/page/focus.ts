import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

let isLost = false;

/** Puts the focus on what waits next, or on the heading when nothing does. */
export function focusNext(): void {
  document.querySelector<HTMLElement>(".group h2, main h1")?.focus();
}

/** A card that goes away while it has the focus says so, whoever took it away: its own button, or another approver. */
export function useFocusHandedOn(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(
    () => () => {
      isLost ||= card.current?.contains(document.activeElement) === true;
    },
    [],
  );
}

/** The list of the cards gives a lost focus to what waits next, in the same drawing that removed the card. */
export function useFocusTaken(): void {
  useLayoutEffect(() => {
    if (!isLost) return;
    isLost = false;
    focusNext();
  });
}
