import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { packageDirectory } from '../../../platform/command-line.ts';
import {
  makeDirectorySync,
  removeEmptyDirectories,
  StartError,
  unwritableReason,
  writeFilesTogether,
} from '../../../platform/index.ts';
import { STARTER } from './starter-metadata.ts';

/** The initial content of the metadata: only comments, the login with Portico's accounts, or the sample service as well. */
export type StarterKind = 'bare' | 'login' | 'sample';

/**
 * `portico init`: writes commented initial metadata.
 *
 * @returns the files that were written.
 * @throws StartError if the directory is not empty or cannot be written.
 */
export function init(directory: string, kind: StarterKind = 'bare'): readonly string[] {
  // The path is resolved first: for `missing/../metadata`, `missing` must not be created.
  const target = resolve(directory);
  let made: readonly string[] = [];
  try {
    made = makeDirectorySync(target);
    if (readdirSync(target).length > 0)
      throw new StartError(`${directory} is not empty: choose an empty or new directory`);
    const files = new Map(Object.entries(starterOf(kind)));
    writeFilesTogether(target, files);
    return [...files.keys()].map((file) => join(directory, file));
  } catch (error) {
    if (error instanceof StartError) throw error;
    // Incomplete files would prevent another attempt.
    removeEmptyDirectories(made);
    throw new StartError(`init: ${unwritableReason(directory, error)}`);
  }
}

/** Asks for the kind on a terminal. */
export async function askForKind(): Promise<StarterKind> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await terminal.question(
        'What should the metadata contain?\n  1  commented examples only\n  2  the login of Portico’s auth service\n' +
          '  3  the login and the sample service\n1, 2 or 3 [2]: ',
      );
      const kind = ({ '': 'login', 1: 'bare', 2: 'login', 3: 'sample' } as const)[answer.trim()];
      if (kind) return kind;
    }
  } finally {
    terminal.close();
  }
}

/** Returns the next steps, ready to paste. */
export function nextSteps(directory: string, kind: StarterKind): string {
  const location = `HASURA_GRAPHQL_METADATA_DIR=${quoted(resolve(directory))}`;
  const root = packageDirectory();
  const start = resolve('.') === root ? 'npm start' : `npm --prefix ${quoted(root)} start`;
  const more = kind === 'sample' ? '' : 'Add your services to the metadata: each file contains a commented example.\n';
  return `\n${more}Start Portico with this metadata:\n  ${location} ${start}\n`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Returns the texts of the files by name. */
function starterOf(kind: StarterKind): Readonly<Record<string, string>> {
  if (kind === 'bare') return STARTER;
  const folder = join(packageDirectory(), 'metadata');
  const own = Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  if (kind === 'sample') return own;
  return {
    ...STARTER,
    'remote_schemas.yaml': withExample('remote_schemas.yaml', withoutSample(own['remote_schemas.yaml'] ?? '')),
    'rest_endpoints.yaml': withExample('rest_endpoints.yaml', withoutSample(own['rest_endpoints.yaml'] ?? '')),
    'services.yaml': withExample('services.yaml', withoutSample(own['services.yaml'] ?? '')),
    'query_collections.yaml': withExample(
      'query_collections.yaml',
      withoutSample(own['query_collections.yaml'] ?? '', [0, 'definition', 'queries']),
    ),
  };
}

const OF_SAMPLE = /^orders(?:_|$)/;

/** Removes the sample service's part from the metadata of the repository. */
function withoutSample(text: string, path: readonly (string | number)[] = []): string {
  const document = parseDocument(text);
  const list = document.getIn(path) as YAMLSeq | undefined;
  if (isSeq(list)) list.items = list.items.filter((item) => !(isMap(item) && OF_SAMPLE.test(String(item.get('name')))));
  return document.toString({ lineWidth: 0 });
}

/** Prepends the commented example of a starter file. */
function withExample(file: string, text: string): string {
  const example = (STARTER[file] ?? '').replace(/\[\]\n$/, '');
  return `${example}\n${text}`;
}
