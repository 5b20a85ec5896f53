import type { Texts } from "./catalogue.ts";

/** Catalan. */
export const ca: Texts = Object.freeze({
  "identity.unconfirmed":
    "identitat: no confirmada en aquesta sessió: llegiu primer qui està actiu (whoami, config.profile.status o overview.status) i repetiu després la crida; n'hi ha prou amb una lectura fins que es canviï de perfil",
  "echo.active": 'Perfil actiu: "{label}"',
  "echo.none": "Perfil actiu: (no n'hi ha cap d'actiu)",
});
