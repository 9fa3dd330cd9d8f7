/** Words for credentials, also within longer names and in any spelling: `api_key`, `clientSecret`, `X-Access-Token`. */
const WORDS =
  /api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|authorization|bearer|cookie|credential|passphrase|passcode|passw(?:or)?d|pwd|secret|token/i;

/**
 * Words that are too short, or too common within other words. They only count at the end of a name, as in `dbPass` and
 * `smtp-auth`.
 */
const LAST_WORDS: ReadonlySet<string> = new Set('auth hmac jwt otp pass pin psk pw sas sid sig signature'.split(' '));

/** Words before `key` that make it a credential, as in `AccountKey`. Other keys, such as `order_key`, are identifiers. */
const WORDS_BEFORE_KEY: ReadonlySet<string> = new Set(
  'account admin app auth client encryption license master shared ssh service session storage subscription webhook x'.split(
    ' ',
  ),
);

/** Additional keys of YAML files whose value, or any value below it, may be a credential, whatever its key is. */
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

/** Keys of metadata that look like credentials but contain names of headers, variables and attributes, or addresses. */
const NAMING_KEYS = /_from_env$|^(?:keep_credentials|only_public_without_token|order_key|webhook_signature)$/i;

/** Returns whether a text with this name is a credential. */
export function isSecretName(name: string): boolean {
  if (WORDS.test(name)) return true;
  const words = wordsOf(name);
  const last = words.at(-1)?.replace(/\d+$/, '') ?? '';
  return LAST_WORDS.has(last) || (last === 'key' && WORDS_BEFORE_KEY.has(words.at(-2) ?? ''));
}

/** Returns whether the value of a key, or any value below it, may be a credential. */
export function isSecretKey(name: string): boolean {
  if (NAMING_KEYS.test(name)) return false;
  return isSecretName(name) || KEYS_OF_FILES.has(wordsOf(name).join(' '));
}

/** Returns the lower-case words of `snake_case`, `kebab-case`, `camelCase` and `HTTPHeader`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}
