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
import { INCLUDE, includeTag } from '../../metadata/index.ts';
import { isGraphqlText, redactText, sameLines } from './redact-text.ts';
import { isSecretKey } from './secret-names.ts';

/** A redacted metadata file. Its lines correspond to those of the file. */
export interface RedactedFile {
  /** Undefined if the file cannot be parsed. Then nothing of it is shown. */
  readonly text: string | undefined;
  /** Values that include other files, which must be hidden for the same reason. As written. */
  readonly hiddenIncludes: readonly string[];
}

/**
 * Redacts credentials in a metadata file in YAML or JSON: values of headers and query parameters, values whose key names a
 * credential, credentials within other values, and comments, which may contain any of these.
 *
 * @param isHidden whether the file itself is the value of a hidden key.
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

/** Returns the redactions of a document: whole values (`secrets`), parts of values (`cuts`), and included files. */
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
      const isGraphql = typeof node.value === 'string' && isGraphqlText(node.value);
      const quote = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
      const end = written.length - quote;
      const shown = written.slice(0, quote) + redactText(written.slice(quote, end), isGraphql) + written.slice(end);
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
      // Aliases may be circular.
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

/** Redacts SDL. */
export function redactSdl(text: string): string {
  return redactText(text, true);
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
    // Several places may refer to an anchor. Those that hide it come first.
    if (cut.from < end) continue;
    shown += text.slice(end, cut.from) + cut.text;
    end = cut.to;
  }
  return shown + text.slice(end);
}

const SCALAR_MARK = '\u001f';
const MARKS = new Set(['\u0002', '\u0018', SCALAR_MARK]);

/** Returns comments as cuts. The parser's tokens distinguish them from similar texts. */
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
