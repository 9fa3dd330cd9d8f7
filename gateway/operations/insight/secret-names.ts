/** What credentials are called, also as a part of a longer name and in any spelling: `api_key`, `clientSecret`, `X-Access-Token`. */
const WORDS =
  /api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|authorization|bearer|cookie|credential|passphrase|passcode|passw(?:or)?d|pwd|secret|token/i;

/** Words that are too short, or too common within others, to be looked for there: they end a name, as in `dbPass` and `smtp-auth`. */
const LAST_WORDS: ReadonlySet<string> = new Set('auth hmac jwt otp pass pin psk pw sas sid sig signature'.split(' '));

/** What makes a key one that opens something, as in `AccountKey`; other keys, such as `order_key`, are names. */
const WORDS_BEFORE_KEY: ReadonlySet<string> = new Set(
  'account admin app auth client encryption license master shared ssh service session storage subscription webhook x'.split(
    ' ',
  ),
);

/** Of YAML, beside these: what may hold a credential with everything below it, whatever it is called there. */
const KEYS_OF_FILES: ReadonlySet<string> = new Set([
  'value',
  'key',
  'add headers',
  'query params',
  'database url',
  'dsn',
  'connection string',
  'connection uri',
  'connection url',
]);

/** Keys of metadata that sound like credentials and hold names of headers, variables and attributes, or addresses. */
const NAMING_KEYS = /_from_env$|^(?:keep_credentials|only_public_without_token|order_key|webhook_signature)$/i;

/** Whether a text with this name is a credential. */
export function isSecretName(name: string): boolean {
  if (WORDS.test(name)) return true;
  const words = wordsOf(name);
  const last = words.at(-1)?.replace(/\d+$/, '') ?? '';
  return LAST_WORDS.has(last) || (last === 'key' && WORDS_BEFORE_KEY.has(words.at(-2) ?? ''));
}

/** Whether the value of a key of a file may be a credential, with everything below it. */
export function isSecretKey(name: string): boolean {
  if (NAMING_KEYS.test(name)) return false;
  return isSecretName(name) || KEYS_OF_FILES.has(wordsOf(name).join(' '));
}

/** In lower case, of `snake_case`, `kebab-case`, `camelCase` and `HTTPHeader`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}
