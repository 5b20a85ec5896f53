import type { Texts } from "./catalogue.ts";

/** Catalan. */
export const ca: Texts = Object.freeze({
  "identity.unconfirmed":
    "identitat: no confirmada en aquesta sessió: llegiu primer qui està actiu (whoami, config.profile.status o overview.status) i repetiu després la crida; n'hi ha prou amb una lectura fins que es canviï de perfil",
  "echo.active": 'Perfil actiu: "{label}"',
  "echo.none": "Perfil actiu: (no n'hi ha cap d'actiu)",
  "question.command": "L'agent demana executar {command}.",
  "question.handoff": "Lliura alguna cosa a tercers; això no es pot desfer.",
  "question.destructive": "Canvia o destrueix dades del perfil actiu.",
  "question.policy": "La política exigeix el vostre consentiment per a aquesta crida.",
  "question.shell.destructive": "Executa una ordre de l'intèrpret classificada com a destructiva{rules}.",
  "question.shell.unverifiable": "Executa una ordre de l'intèrpret de la qual no es pot saber què fa{rules}.",
  "question.shell.clear": "Executa una ordre de l'intèrpret en què no s'ha trobat res destructiu.",
  "question.closing": "Encara no s'ha executat res. Confirmeu només si és el que voleu.",
  "question.yes": "Executa",
  "question.choice": "sí executa la crida, no la rebutja",
});
