import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parseDocument,
  type Range,
  type Scalar,
} from 'yaml';
import { INCLUDE, includeTag } from '../metadata/index.ts';

/** Stands where something is not shown. */
const REDACTED = '********';

/** A metadata file as it may be shown. Its lines are those of the file. */
export interface RedactedFile {
  /** Undefined for a file whose values cannot be told apart: then nothing of it is shown. */
  readonly text: string | undefined;
  /** Values of the file that are other files, and must not be shown for the same reason, as they are written. */
  readonly hiddenIncludes: readonly string[];
}

/** Keys whose values may be credentials, with everything below them, whatever their names say. */
const SECRET_KEYS = new Set(['value', 'add_headers', 'query_params', 'database_url']);

/** Names of credentials that are too short, or too common a part of other names, to be looked for within them. */
const SHORT_SECRET_NAMES = /signature|pin|pw|sas/;
const SECRET_NAME = new RegExp(`^(?:${SHORT_SECRET_NAMES.source})$`, 'i');

/** What keys of credentials are called, in any spelling: `api_key`, `clientSecret`, `X-Access-Token`. */
const SECRET_WORDS =
  /api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|authorization|bearer|cookie|credential|passphrase|passw(?:or)?d|pwd|secret|token/i;

/** Keys of metadata that contain such a word and hold names or addresses. */
const NAMING_KEYS = /_from_env$|^only_public_without_token$/i;

/** Whether the value of a key may be a credential. */
function isSecretKey(name: string): boolean {
  if (SECRET_KEYS.has(name.toLowerCase()) || SECRET_NAME.test(name)) return true;
  return SECRET_WORDS.test(name) && !NAMING_KEYS.test(name);
}

/**
 * Takes credentials out of a metadata file in YAML or JSON: values of headers and query parameters, user information and query
 * strings of URLs, presets that are no session variables, and comments, which may hold any of these.
 *
 * @param isHidden whether the file is itself the value of something that is not shown.
 */
export function redactYaml(text: string, isHidden: boolean): RedactedFile {
  const document = parseDocument(text, {
    prettyErrors: false,
    merge: true,
    customTags: [includeTag],
  });
  if (document.errors.length > 0) return { text: undefined, hiddenIncludes: [] };
  const { secrets, cuts, hiddenIncludes } = redactionsOf(document, text, isHidden);
  return { text: withCuts(text, [...secrets, ...cuts, ...commentCuts(text)]), hiddenIncludes };
}

/** What of a document is replaced: values as a whole (`secrets`), parts of others (`cuts`), and files it names. */
function redactionsOf(document: Document.Parsed, text: string, isHidden: boolean) {
  const secrets: Redaction[] = [];
  const cuts: Redaction[] = [];
  const hiddenIncludes: string[] = [];
  const hidden = new Set<Node>();
  const redactScalar = (node: Scalar, [from, to]: Range, isSecret: boolean): void => {
    const written = text.slice(from, to);
    if (isSecret && typeof node.value === 'string' && node.value.startsWith(INCLUDE))
      hiddenIncludes.push(node.value.slice(INCLUDE.length).trim());
    else if (isSecret) secrets.push({ from, to, text: sameLines(written) });
    else {
      const shown = withoutCredentials(written);
      if (shown !== written) cuts.push({ from, to, text: shown });
    }
  };
  const visitNode = (node: unknown, isSecret: boolean): void => {
    if (isAlias(node)) {
      const meant = isSecret ? node.resolve(document) : undefined;
      if (meant) visitNode(meant, true);
      return;
    }
    if (isSecret && isNode(node)) {
      // Aliases may lead in a circle.
      if (hidden.has(node)) return;
      hidden.add(node);
    }
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        visitNode(value, isSecret || isSecretKey(name));
      }
    } else if (isSeq(node)) for (const item of node.items) visitNode(item, isSecret);
    else if (isScalar(node) && node.range) redactScalar(node, node.range, isSecret);
  };
  visitNode(document.contents, isHidden);
  return { secrets, cuts, hiddenIncludes };
}

/** The same for SDL. */
export function redactSdl(text: string): string {
  return withoutCredentials(text);
}

interface Redaction {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function withCuts(text: string, cuts: readonly Redaction[]): string {
  const inOrder = [...cuts].sort((one, other) => one.from - other.from);
  let end = 0;
  let shown = '';
  for (const cut of inOrder) {
    // An anchor is reached from several places, of which those that hide it come first.
    if (cut.from < end) continue;
    shown += text.slice(end, cut.from) + cut.text;
    end = cut.to;
  }
  return shown + text.slice(end);
}

/** In place of a value, over as many lines. */
function sameLines(written: string): string {
  return REDACTED + '\n'.repeat(written.split('\n').length - 1);
}

/** A name that a credential would have, within a text. Repetitions are limited, for large texts to take linear time. */
const CREDENTIAL_NAME = `(?:(?:${SECRET_WORDS.source})[\\w-]{0,60}|(?<![\\w-])(?:${SHORT_SECRET_NAMES.source})(?![\\w-]))`;

/** A quoted text behind a name that a credential would have, as in JSON and in arguments of GraphQL. */
const NAMED_CREDENTIAL = new RegExp(`(${CREDENTIAL_NAME}\\\\?["']?\\s*[:=]\\s*\\\\?["'])(?!\\{\\{)[^"'\\\\\\n]+`, 'gi');

/** A header within a text, such as `x-api-key: abc`. A hyphen tells it from fields and arguments of GraphQL. */
const NAMED_HEADER = new RegExp(
  `((?<![\\w-])(?=\\w{1,60}-)[\\w-]{0,60}?(?:${SECRET_WORDS.source})[\\w-]{0,60}[ \\t]{0,9}:[ \\t]+)(?!\\{\\{)[^\\s"'\\\\][^"'\\\\\\n]*`,
  'gi',
);

/** A part of a connection string, such as `Password=abc;`, which ends at the semicolon if there is one. */
const NAMED_PART = new RegExp(
  `(?<![?&][\\w.~%-]{0,60})(${CREDENTIAL_NAME}[ \\t]*=[ \\t]*)(?!\\{\\{)[^\\s"';]+(?:[^"';\\n]{0,120}(?=;))?`,
  'gi',
);

/** User information and query strings of URLs, credentials of `Authorization`, presets that are no session variables, and texts that are named as credentials. */
function withoutCredentials(text: string): string {
  return (
    text
      // A password may contain slashes and the sign that ends it, so all up to the last one is taken.
      .replace(/:\/\/(?:[^\s/:@"'{}]*:[^\s"'{}]*|[^\s/@"'{}]+)@/g, `://${REDACTED}@`)
      .replace(/\b(Bearer|Basic)(\s+)[\w.~+/=-]{6,}/gi, `$1$2${REDACTED}`)
      .replace(/([?&][\w.~%[\]-]+=)(?!\{\{)[^&\s"'#{}]+/g, `$1${REDACTED}`)
      .replace(NAMED_CREDENTIAL, `$1${REDACTED}`)
      .replace(NAMED_HEADER, `$1${REDACTED}`)
      .replace(NAMED_PART, `$1${REDACTED}`)
      .replace(/(@preset\s*\(\s*value\s*:\s*"(?!x-hasura-))[^"\n]*"/gi, `$1${REDACTED}"`)
  );
}

const SCALAR_MARK = '\u001f';
const MARKS = new Set(['\u0002', '\u0018', SCALAR_MARK]);

/** Comments as cuts: the parser's tokens tell them from texts that look like one. */
function commentCuts(text: string): readonly Redaction[] {
  const cuts: Redaction[] = [];
  let at = 0;
  let before = '';
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && before !== SCALAR_MARK) cuts.push({ from: at, to: at + token.length, text: '' });
    if (!MARKS.has(token)) at += token.length;
    before = token;
  }
  return cuts;
}
