import type { Texts } from "./catalogue.ts";

/** German. */
export const de: Texts = Object.freeze({
  "identity.unconfirmed":
    "Identität: in dieser Sitzung nicht bestätigt: zuerst lesen, wer aktiv ist (whoami, config.profile.status oder overview.status), dann den Aufruf wiederholen; ein Lesen genügt, bis das Profil gewechselt wird",
  "echo.active": 'Aktives Profil: "{label}"',
  "echo.none": "Aktives Profil: (keines ist aktiv)",
  "question.command": "Der Agent möchte {command} ausführen.",
  "question.handoff": "Dabei wird etwas an andere übergeben; das lässt sich nicht zurücknehmen.",
  "question.destructive": "Dabei werden Daten des aktiven Profils geändert oder zerstört.",
  "question.policy": "Die Regeln verlangen für diesen Aufruf eine Zustimmung.",
  "question.shell.destructive": "Es ist ein Shell-Befehl, der als zerstörend eingestuft ist{rules}.",
  "question.shell.unverifiable": "Es ist ein Shell-Befehl, von dem sich nicht sagen lässt, was er tut{rules}.",
  "question.shell.clear": "Es ist ein Shell-Befehl, in dem nichts Zerstörendes gefunden wurde.",
  "question.closing": "Noch ist nichts geschehen. Nur bestätigen, wenn genau das gewollt ist.",
  "question.yes": "Ausführen",
  "question.choice": "Ja führt den Aufruf aus, Nein lehnt ihn ab",
});
