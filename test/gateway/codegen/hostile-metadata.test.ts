import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { CODEGEN_TARGETS } from '../../../gateway/operations/codegen/index.ts';
import { isInstalled } from '../../installed.ts';
import { keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { actionFiles, generate, runIn, typeProblems } from './generated.ts';

const { keep, close } = keeper();
afterAll(close);

/** What would leave a comment or a text of one of the languages, if it were copied unchanged. */
const BREAKOUTS = [
  '*/ throw new Error("BROKEN_OUT"); /*',
  '`$' + '{BROKEN_OUT()}`',
  `""" + BROKEN_OUT + """ ''' BROKEN_OUT '''`,
  '\nBROKEN_OUT()\n',
  '\r\nBROKEN_OUT()\r\n\rBROKEN_OUT()\r',
  '\u2028BROKEN_OUT()\u2029BROKEN_OUT()\u0085BROKEN_OUT()\u000bBROKEN_OUT()\fBROKEN_OUT()',
  '*/\u202e BROKEN_OUT \u2066 /*\u0000\u001b[31m',
  '@ts-expect-error',
  '@internal\n@ts-ignore',
  '\\',
  '\\u002a/ \' \\\' " \\"',
  "# heading\n- list\n1. list\n\tcode\n[link]: http://x.test\n`` quoted ''",
  '//go:embed /etc/passwd',
  '+build ignore',
  '-*- coding: rot13 -*-',
];

const NAMES = [
  ...'break case chan class const constructor continue def default defer del delete elif else enum export extends'.split(
    ' ',
  ),
  ...'fallthrough finally for from func function global go goto if import in instanceof interface is lambda let map'.split(
    ' ',
  ),
  ...'module namespace new nil None not null object or package pass print private prototype public raise range return'.split(
    ' ',
  ),
  ...'select self static str string struct super switch symbol this throw toString try type typeof unknown valueOf'.split(
    ' ',
  ),
  ...'var void while with yield any any_ bool boolean int float number list dict json copy schema validate mro'.split(
    ' ',
  ),
  ...'model_config model_fields model_dump Call Handler HandlerError VerifySignature Action handlers register'.split(
    ' ',
  ),
  ...'_ _x x X _X x_ X_ x_2 foo_test open_windows open_linux_amd64 Promise Record Array Request Response Error'.split(
    ' ',
  ),
  ...'BaseModel Field Any Optional Literal Union typename Typename handle call input ctx context hasOwnProperty globalThis eval arguments'.split(
    ' ',
  ),
];
const quotedDescription = (text: string) => JSON.stringify(text);
const described = (index: number) => quotedDescription(BREAKOUTS[index % BREAKOUTS.length] ?? '');
const fields = (type: string) => NAMES.map((name, index) => `${described(index)} ${name}: ${type}`).join('\n');
const typeNames = NAMES.filter((name) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name));
const actionNames = NAMES.map((name) => `a_${name}`).concat(
  'delete',
  'list',
  'List',
  'class',
  'Delete',
  'DELETE',
  '_delete',
  'main',
  'init',
);

const sdl = `
type Mutation {
${actionNames.map((name, index) => `${described(index)} ${name}(${fields(index % 2 ? 'Int' : '[Mood!]')} in_: all_inputs): ${typeNames[index % typeNames.length]}`).join('\n')}
}
${typeNames.map((name, index) => `${described(index)} type ${name} { ${described(index + 3)} ${NAMES[index]}: ${typeNames[(index + 1) % typeNames.length]} other: [Mood]! }`).join('\n')}
${described(4)}
enum Mood { ${NAMES.filter((name) => name !== 'null')
  .map((name, index) => `${described(index)} ${name}`)
  .join(' ')} }
input all_inputs { ${fields('String!')} again: all_inputs }
`;
const metadata = await keep(
  metadataDirectory(
    actionFiles({
      sdl,
      actions: Object.fromEntries(
        actionNames.map((name, index) => [
          name,
          {
            kind: index % 3 ? 'synchronous' : 'asynchronous',
            ...(index % 5 === 0 && { webhook_signature: { secret_from_env: `A"'\`\n*/BROKEN_OUT` } }),
            ...(index % 7 === 0 && { forward_client_headers: true, job: undefined }),
          },
        ]),
      ),
      comments: Object.fromEntries(actionNames.map((name, index) => [name, BREAKOUTS[index % BREAKOUTS.length] ?? ''])),
    }),
  ),
);

const hasGo = isInstalled('gofmt', 'Go code of hostile metadata');
const hasPython = isInstalled('python3', 'Python code of hostile metadata');

describe('code for metadata with hostile names and descriptions', () => {
  test.each(['express', 'fastify', 'fetch'] as const)('is valid TypeScript under strict for %s', async (target) => {
    const { path } = await keep(Promise.resolve(generate(metadata.path, target)));
    expect(typeProblems(path)).toEqual([]);
  });

  (hasGo ? test : test.skip)('is valid Go, in the form of gofmt', async () => {
    const { path } = await keep(Promise.resolve(generate(metadata.path, 'go')));
    expect(runIn(path, 'gofmt', ['-l', '.'])).toEqual({ status: 0, output: '' });
    expect(runIn(path, 'go', ['vet', ...goFiles(path)], { GO111MODULE: 'off', GOFLAGS: '' })).toEqual({
      status: 0,
      output: '',
    });
  });

  (hasPython ? test : test.skip)('is valid Python', async () => {
    const { path } = await keep(Promise.resolve(generate(metadata.path, 'fastapi')));
    const files = readdirSync(path).filter((file) => file.endsWith('.py'));
    expect(runIn(path, 'python3', ['-W', 'error', '-m', 'py_compile', ...files])).toEqual({ status: 0, output: '' });
  });

  test.each(CODEGEN_TARGETS)('never contains a description outside of a comment: %s', async (target) => {
    const { path } = await keep(Promise.resolve(generate(metadata.path, target)));
    const texts = readdirSync(path)
      .filter((file) => /\.(?:ts|py|go)$/.test(file))
      .map((file) => readFileSync(join(path, file), 'utf8'));
    expect(texts.join('')).toContain('BROKEN_OUT');
    for (const text of texts) {
      expect(text).not.toMatch(/[^\P{C}\n\t]|[\u2028\u2029]/u);
      // A comment, or the name of the secret's variable as a quoted text.
      for (const line of text.split('\n').filter((one) => one.includes('BROKEN_OUT')))
        expect(line).toMatch(/^\s*(?:\*(?!\/)(?:(?!\*\/).)*$|\/\/ |# |.*A\\?"\\?'`\\n\*\/BROKEN_OUT)/);
    }
  });
});

function goFiles(path: string): readonly string[] {
  return readdirSync(path).filter((file) => file.endsWith('.go'));
}
