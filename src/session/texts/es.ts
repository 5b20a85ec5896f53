import type { Texts } from "./catalogue.ts";

/** Spanish. */
export const es: Texts = Object.freeze({
  "identity.unconfirmed":
    "identidad: no confirmada en esta sesión: lea primero quién está activo (whoami, config.profile.status u overview.status) y repita después la llamada; basta una lectura hasta que se cambie de perfil",
  "echo.active": 'Perfil activo: "{label}"',
  "echo.none": "Perfil activo: (no hay ninguno activo)",
});
