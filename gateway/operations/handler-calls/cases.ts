import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { errorCode, StartError } from '../../../platform/index.ts';
import { mapping } from '../../metadata/index.ts';
import { matcherProblems } from './matchers.ts';

const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

const caseShape = mapping({
  input: z.record(z.string(), z.unknown()).default({}),
  role: z.string().min(1).optional(),
  session: texts.default({}),
  headers: texts.default({}),
  response: z.unknown().optional(),
  error: mapping({
    message: z.unknown().optional(),
    code: z.unknown().optional(),
    extensions: z.unknown().optional(),
  }).optional(),
});

/** A recorded call of a handler. */
export interface HandlerCase {
  readonly action: string;
  /** The name of the file without its extension. */
  readonly name: string;
  readonly file: string;
  /** The text of the file. */
  readonly text: string;
  readonly content: CaseContent | undefined;
  /** The problems with the file. Without problems there is a content. */
  readonly problems: readonly string[];
}

export interface CaseContent {
  readonly input: Readonly<Record<string, unknown>>;
  readonly role: string | undefined;
  readonly session: Readonly<Record<string, string>>;
  /** Headers of the caller, for actions that forward them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if nothing is recorded yet. */
  readonly expected: CaseExpectation | undefined;
}

/** The expected value, or the expected members of the error. Both may contain matchers. */
export type CaseExpectation = { readonly response: unknown } | { readonly error: Readonly<Record<string, unknown>> };

/** The largest file of a case, in UTF-16 code units. */
const MAX_CASE = 1_000_000;

/**
 * Reads the cases in `<directory>/<action>/<case>.yaml`, in alphabetical order.
 *
 * @throws StartError if the directory cannot be read.
 */
export function readCases(directory: string): readonly HandlerCase[] {
  return foldersIn(directory).flatMap((action) =>
    entriesOf(join(directory, action))
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .map(({ name }) => name)
      .sort()
      .map((name) => readCase(join(directory, action, name), action, name.replace(/\.ya?ml$/, ''))),
  );
}

function foldersIn(directory: string): readonly string[] {
  return entriesOf(directory)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    throw new StartError(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `there is no directory ${directory}: create ${join(directory, '<action>', '<case>.yaml')}`
        : `${directory} cannot be read (${code})`,
    );
  }
}

function readCase(file: string, action: string, name: string): HandlerCase {
  let text = '';
  const withProblems = (...problems: readonly string[]): HandlerCase => ({
    action,
    name,
    file,
    text,
    content: undefined,
    problems,
  });
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return withProblems(`cannot be read (${errorCode(error)})`);
  }
  if (text.length > MAX_CASE) return withProblems(`is larger than ${MAX_CASE} characters`);
  const document = parseDocument(text, { prettyErrors: true });
  const [syntax] = document.errors;
  if (syntax) return withProblems(syntax.message);
  const parsed = caseShape.safeParse(contentOf(document) ?? {});
  if (!parsed.success)
    return withProblems(
      ...parsed.error.issues.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`),
    );
  const { data } = parsed;
  if (data.response !== undefined && data.error !== undefined)
    return withProblems('expected only one of response and error');
  const problems = [data.response, data.error].flatMap((one) => (one === undefined ? [] : matcherProblems(one)));
  if (problems.length > 0) return withProblems(...problems);
  const expected =
    data.error !== undefined
      ? { error: data.error }
      : data.response !== undefined
        ? { response: data.response }
        : undefined;
  const { input, role, session, headers } = data;
  return { action, name, file, text, content: { input, role, session, headers, expected }, problems: [] };
}

function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the text of a case with what the handler returned. Comments and the rest of the file stay. */
export function withExpectation({ text }: HandlerCase, expected: CaseExpectation): string {
  const document: Document = parseDocument(text);
  if (document.contents === null) document.contents = document.createNode({});
  for (const [key, value] of Object.entries(expected)) document.set(key, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}
