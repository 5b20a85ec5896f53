import { maskLiveSecrets, rememberSecret } from "../audit/live-secrets.ts";

/** Remembers a secret that leaves for a command, so that everything that this process writes is redacted of it from now on. */
export function keepSecret(secret: string): string {
  rememberSecret(secret);
  return secret;
}

/**
 * Takes leased secrets out of what a command wrote, in every form in which the redactor knows them.
 * @param isCut true when the output ends before its end: then a secret may be cut in two, and its first part goes as well
 */
export function withoutSecrets(output: string, isCut: boolean): string {
  return maskLiveSecrets(output, { isCut });
}
