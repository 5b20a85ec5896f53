import type { Texts } from "./catalogue.ts";

/** German. */
export const de: Texts = Object.freeze({
  "identity.unconfirmed":
    "Identität: in dieser Sitzung nicht bestätigt: zuerst lesen, wer aktiv ist (whoami, config.profile.status oder overview.status), dann den Aufruf wiederholen; ein Lesen genügt, bis das Profil gewechselt wird",
  "echo.active": 'Aktives Profil: "{label}"',
  "echo.none": "Aktives Profil: (keines ist aktiv)",
});
