import { parse } from 'graphql';
import { isSecretName } from './secret-names.ts';

/** Replaces hidden text. */
export const REDACTED = '********';

/**
 * Removes recognizable credentials from a text. They are recognized by the preceding name, as in `password: x`, headers,
 * connection strings, JSON and arguments, by their place in a URL, or by their scheme or form. Line breaks are kept.
 *
 * @param written as in a file. A quoted text with escapes is accepted too.
 * @param isGraphql whether the text is GraphQL, where `token: String` is a field and its type.
 */
export function redactText(written: string, isGraphql: boolean): string {
  const text = redactByForm(redactUrls(written)).replace(PRESET, `$1${REDACTED}"`);
  if (!isGraphql) return redactNamed(text, false);
  return redactNamed(text, true).replace(TEXTS_OF_GRAPHQL, (one) => redactNamed(one, false));
}

/** Returns whether a text is an operation or a schema. */
export function isGraphqlText(text: string): boolean {
  if (!text.includes('{')) return false;
  try {
    parse(text, { noLocation: true });
    return true;
  } catch {
    return false;
  }
}

/** Presets other than session variables. */
const PRESET = /(@preset\s*\(\s*value\s*:\s*"(?!x-hasura-))[^"\n]*"/gi;

/** Descriptions, strings and comments, including strings with escaped quotes. */
const TEXTS_OF_GRAPHQL = /"""[\s\S]*?"""|\\"(?:[^"\\\n]|\\\\)*\\"|"(?:\\.|[^"\\\n])*"|#[^\n]*/g;

/** The text of a URL, which may begin with a variable or lack a scheme. A password may contain slashes and `@`. */
const URL_TEXT = /(?:\b[a-z][a-z\d+.-]{0,30}:\/\/|\{\{\w{1,100}\}\}|(?<![\w:/])\/\/)[^\s"'<>\\]*/gi;
/** User information may contain single braces. Variables, in double braces, are kept. */
const USER_INFORMATION = /^([^/]*\/\/)(?:(?:[^:@/{]|\{(?!\{))*:(?:[^{]|\{(?!\{))*|(?:[^/@{]|\{(?!\{))+)@/;

/** Redacts user information, query string and fragment of URLs. Parameter names and values that are variables are kept. */
function redactUrls(text: string): string {
  return text
    .replace(URL_TEXT, (url) => {
      const shown = url.replace(USER_INFORMATION, `$1${REDACTED}@`);
      const begin = shown.search(/[?#]/);
      if (begin < 0) return shown;
      return (
        shown.slice(0, begin) +
        shown.slice(begin).replace(/([?&#])([^?&#]*)/g, (_, sign, part) => sign + redactPart(part))
      );
    })
    .replace(/([?&][\w.~%[\]-]{1,100}=)(?!\{\{|\*)[^&\s"'#{}]+/g, `$1${REDACTED}`);
}

/** Redacts a part of a query string or a fragment. */
function redactPart(part: string): string {
  const value = part.indexOf('=') + 1;
  const written = part.slice(value);
  return written === '' || written.startsWith('{{') ? part : part.slice(0, value) + REDACTED;
}

/** A text that may contain a JWT. It is matched only from its beginning: trying each `eyJ` within would take quadratic time. */
const DOTTED = /(?<![\w-])[\w-]{11,}\.[\w-]+(?:\.[\w-]*)*/g;

/** Redacts credentials of `Authorization` and of `curl`, JWTs, private keys, and service tokens with a recognizable prefix. */
function redactByForm(text: string): string {
  return text
    .replace(/\b(Bearer|Basic|Digest|DPoP|Negotiate|ApiKey)(\s+)(?!\{\{)[\w.~+/=-]{6,}/gi, `$1$2${REDACTED}`)
    .replace(/((?:^|\s)(?:-u|--user)[ =]{1,9})[^\s"']+/gm, `$1${REDACTED}`)
    .replace(/((?:^|\s)-u)(?!\{\{)[^\s"'=:]{1,100}:[^\s"']+/gm, `$1${REDACTED}`)
    .replace(DOTTED, (words) => words.replace(/\beyJ[\w-]{8,}.*/, REDACTED))
    .replace(/\b(?:gh[oprsu]_|github_pat_|[sr]k_(?:live|test)_|xox[abeoprs]-|AKIA|glpat-)[\w-]{8,}/g, REDACTED)
    .replace(
      /(-----BEGIN [A-Z ]*PRIVATE KEY-----)([\s\S]*?)(?=-----END|$)/g,
      (_, begin, key) => begin + sameLines(key),
    );
}

/** Returns a replacement with as many lines as the text. */
export function sameLines(written: string): string {
  return REDACTED + '\n'.repeat(written.split('\n').length - 1);
}

/**
 * A name and the separator before its value. Excludes hosts with a port. Repetitions are limited, so that large texts take
 * linear time.
 */
const NAMED = /(?<![\w-])(?<!\/\/|@)([a-z_][\w.-]{0,99})\\?["'`]?[ \t]{0,9}(?:=>|:|=)(?![:=])/gi;

/** A quoted value, up to its closing quote. */
const QUOTED = [
  /\s{0,99}\\"(?!\{\{)((?:(?!\\")[^\n])+)/y,
  /\s{0,99}"(?!\{\{)((?:[^"\\\n]|\\.)+)/y,
  /\s{0,99}'(?!\{\{)((?:[^'\n]|'')+)/y,
];
/** A value in the lines below its name, as in YAML: lines with at least the first line's indentation. */
const BLOCK =
  /[ \t]{0,9}[|>][-+\d]{0,2}[ \t]{0,9}\n(?:[ \t]{0,99}\n){0,9}([ \t]{1,99})(?!\{\{)([^\s][^\n]*(?:\n(?:\1[^\n]*|[ \t]{0,99}(?=\n)))*)/y;
/** A value in plain text: its first word, and further words up to where another value may begin. */
const PLAIN = /\s{0,99}(?!\{\{|\*{8}|\s)([^\s"'\\]+[^"'\\,;}\n]*)/y;
/** A part of a connection string, up to a semicolon if there is one. */
const PART = /[ \t]{0,9}(?!\{\{|\*{8})([^\s"';]+(?:[^"';\n]{0,120}(?=;))?)/y;
/** Values in GraphQL: numbers, and defaults of variables and arguments. */
const OF_GRAPHQL = [
  /[ \t]{0,9}(?:[\w![\] ]{1,100}=[ \t]{0,9})?(-?\d[\d.]*)/y,
  /[ \t]{0,9}[\w![\] ]{1,100}=[ \t]{0,9}\\?"(?!\{\{)((?:[^"\\\n]|\\[^"])+)/y,
];

/** Redacts values whose name identifies them as credentials. */
function redactNamed(text: string, isGraphql: boolean): string {
  let shown = '';
  let end = 0;
  const names = new RegExp(NAMED);
  for (let found = names.exec(text); found; found = names.exec(text)) {
    if (!isSecretName(found[1] ?? '')) continue;
    const unquoted = found[0].endsWith('=') ? [PART] : [BLOCK, PLAIN];
    const value = valueAt(text, names.lastIndex, [...QUOTED, ...(isGraphql ? OF_GRAPHQL : unquoted)]);
    if (!value) continue;
    shown += text.slice(end, value.from) + sameLines(text.slice(value.from, value.to));
    end = value.to;
    names.lastIndex = end;
  }
  return shown + text.slice(end);
}

function valueAt(
  text: string,
  at: number,
  forms: readonly RegExp[],
): { readonly from: number; readonly to: number } | undefined {
  for (const form of forms) {
    const one = new RegExp(form);
    one.lastIndex = at;
    const found = one.exec(text);
    const value = found?.at(-1);
    if (value !== undefined) return { from: one.lastIndex - value.length, to: one.lastIndex };
  }
  return undefined;
}
