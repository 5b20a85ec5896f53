/**
 * Endings of names whose value is a secret, in lower case and without separators: `DB_PASSWORD`, `dbPassword` and `db-password` all end
 * in `password`. Names are judged by their end, so that `token_file` or `secret_name` stay readable.
 */
const ENDINGS = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "secretkey",
  "privatekey",
  "encryptionkey",
  "signingkey",
  "accountkey",
  "sharedkey",
  "masterkey",
  "storagekey",
  "sessionkey",
  "authkey",
  "sshkey",
  "hmackey",
  "credential",
  "cookie",
  "authorization",
  "bearer",
];

/** Names that are secret only when they stand alone, or as the last word of a name: `pass`, `DB_PASS`, but not `bypass`. */
const WORDS = ["pass", "pwd", "auth", "basicauth", "otp", "totp", "jwt", "creds"];

/** What may follow such a name without changing what it is: `secret_value`, `passwords`, `SecretString`, `password_2`. */
const TRAILER = "s?(?:value|string|text|plaintext|binary|data|hash|b64|base64|encoded|confirmation|confirm)?\\d*$";

const ENDING = new RegExp(`(?:${ENDINGS.join("|")})${TRAILER}`);
const WORD = new RegExp(`(?:^|[^a-z])(?:${WORDS.join("|")})\\d*$`);
/** Longer names are judged by their last part. */
const LONGEST_NAME = 128;
const CACHE_SIZE = 4096;

const cache = new Map<string, boolean>();

/**
 * Tells whether a value with this name is a secret: letter case, separators and full-width letters make no difference.
 * @param name an object key, a flag without its dashes, a header or variable name
 */
export function isSecretKey(name: string): boolean {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const judged = judge(name.length > LONGEST_NAME ? name.slice(-LONGEST_NAME) : name);
  if (name.length <= LONGEST_NAME) {
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(name, judged);
  }
  return judged;
}

/** Tells whether a name counts language-model tokens or the like (`max_tokens`): a bare number under it is no secret. */
export function countsTokens(name: string): boolean {
  return /tokens$/i.test(name);
}

/** Tells whether a value is a working directory, which `PWD` names as well as a password. */
export function isWorkingDirectory(name: string, value: string): boolean {
  return /pwd\d*$/i.test(name) && /^[/~.$]/.test(value);
}

/** Tells whether a name is that of an HTTP authorization header, whose value is a scheme and a credential. */
export function isAuthorizationKey(name: string): boolean {
  return /authorization$/i.test(name);
}

/** Tells whether a name is that of a cookie header, whose value is a list of pairs. */
export function isCookieKey(name: string): boolean {
  return /cookies?$/i.test(name);
}

function judge(name: string): boolean {
  const plain = name.normalize("NFKC");
  const joined = plain.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (ENDING.test(joined)) return true;
  const words = plain.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return WORD.test(words);
}
