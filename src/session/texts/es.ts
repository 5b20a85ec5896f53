import type { Texts } from "./catalogue.ts";

/** Spanish. */
export const es: Texts = Object.freeze({
  "identity.unconfirmed":
    "identidad: no confirmada en esta sesión: lea primero quién está activo (whoami, config.profile.status u overview.status) y repita después la llamada; basta una lectura hasta que se cambie de perfil",
  "echo.active": 'Perfil activo: "{label}"',
  "echo.none": "Perfil activo: (no hay ninguno activo)",
  "question.command": "El agente pide ejecutar {command}.",
  "question.handoff": "Entrega algo a terceros; eso no se puede deshacer.",
  "question.destructive": "Cambia o destruye datos del perfil activo.",
  "question.policy": "La política exige su consentimiento para esta llamada.",
  "question.shell.destructive": "Ejecuta una orden del shell clasificada como destructiva{rules}.",
  "question.shell.unverifiable": "Ejecuta una orden del shell de la que no se puede saber qué hace{rules}.",
  "question.shell.clear": "Ejecuta una orden del shell en la que no se encontró nada destructivo.",
  "question.closing": "Todavía no se ha ejecutado nada. Confirme solo si es lo que quiere.",
  "question.yes": "Ejecutar",
  "question.choice": "sí ejecuta la llamada, no la rechaza",
});
