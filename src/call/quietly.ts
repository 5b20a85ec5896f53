/**
 * Puts a listener of somebody else's behind a guard: what it throws changes nothing for whoever tells it, since what is answered must
 * not depend on it.
 */
export function quietly<Told>(listener: (told: Told) => void): (told: Told) => void {
  return (told) => {
    try {
      listener(told);
    } catch {
      // It has been told; there is nobody else to tell.
    }
  };
}
