import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse, type TypeNode } from 'graphql';
import type { Metadata } from '../../../gateway/metadata/index.ts';
import {
  generatedFiles,
  handlerModel,
  type ScalarJson,
  writeGenerated,
} from '../../../gateway/operations/codegen/index.ts';
import { isInstalled } from '../../installed.ts';
import { keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { actionFiles, generate, runIn, typeProblems } from './generated.ts';

const { keep, close } = keeper();
afterAll(close);

/** The types of a schema that need not be valid for actions. */
function typesOf(sdl: string, scalars?: ReadonlyMap<string, ScalarJson>) {
  const document = parse(sdl);
  const [query] = document.definitions;
  const fields = query?.kind === 'ObjectTypeDefinition' ? (query.fields ?? []) : [];
  const names = fields.map(({ name }) => name.value);
  const metadata = {
    actions: { actions: names.map((name) => ({ name, definition: { handler: 'http://127.0.0.1:1' } })) },
    actionTypes: { document, queries: new Set(names), asyncOutputs: new Map<string, TypeNode>() },
  } as unknown as Metadata;
  const model = handlerModel(metadata, scalars);
  const text = (target: 'express' | 'fastapi' | 'go') => generatedFiles(model, target, true)[0]?.text ?? '';
  return { typescript: text('express'), python: text('fastapi'), go: text('go') };
}

async function directory() {
  const path = mkdtempSync(join(tmpdir(), 'portico-types-'));
  await keep(Promise.resolve({ close: () => rmSync(path, { recursive: true, force: true }) }));
  return path;
}

const ABSTRACT = `
  type Query { pet(by: By!): Pet named: [Named!]! }
  union Pet = Cat | Dog
  interface Named { name: String! }
  type Cat implements Named { name: String! lives: Int }
  type Dog { barks: Boolean! friend: Pet }
  input By @oneOf { id: ID name: String other: By }
`;

describe('types that actions use', () => {
  test('keep nullability, lists, defaults and enums in TypeScript', () => {
    const { typescript } = typesOf(`
      type Query { all(a: Int!, b: [String], c: Int = 3, d: In!): Out unused: Int }
      input In { e: E!, at: timestamptz, any: Unknown }
      type Out { list: [[Float!]!] e: E at: timestamptz! any: Unknown! self: Out! }
      enum E { A B }
      scalar timestamptz
      scalar Unknown
      type NotUsed { a: Int }
    `);
    expect(typescript.split('\n\n').slice(1).join('\n')).toBe(`export type E = 'A' | 'B';
export type In = {
  readonly e: E;
  readonly at?: timestamptz | null;
  readonly any?: Unknown | null;
};
export type Out = {
  readonly list?: readonly (readonly number[])[] | null;
  readonly e?: E | null;
  readonly at: timestamptz;
  readonly any: Unknown;
  readonly self: Out;
};
export type Unknown = unknown;
export type timestamptz = string;
/**
 * The arguments of the action all.
 */
export type AllInput = {
  readonly a: number;
  readonly b?: readonly (string | null)[] | null;
  readonly c: number | null;
  readonly d: In;
};
/**
 * The result of the action all.
 */
export type AllOutput = Out | null;
/**
 * The arguments of the action unused.
 */
export type UnusedInput = {};
/**
 * The result of the action unused.
 */
export type UnusedOutput = number | null;
`);
  });

  test('are unions with __typename for interfaces and unions, and exclude each other for @oneOf', async () => {
    const path = await directory();
    const { typescript } = typesOf(ABSTRACT);
    expect(typescript).toContain(
      "export type Pet = ({ readonly __typename: 'Cat' } & Cat) | ({ readonly __typename: 'Dog' } & Dog) | null;".replace(
        ' | null',
        '',
      ),
    );
    writeFileSync(join(path, 'types.ts'), typescript);
    writeFileSync(
      join(path, 'use.ts'),
      `import type { By, NamedOutput, PetOutput } from './types.js';
       export const pet: PetOutput = { __typename: 'Dog', barks: true, friend: { __typename: 'Cat', name: 'x' } };
       export const named: NamedOutput = [{ __typename: 'Cat', name: 'x', lives: 9 }];
       export const by: readonly By[] = [{ id: '1' }, { name: 'x' }, { other: { id: '1' } }];
       // @ts-expect-error the type is missing
       export const untyped: PetOutput = { barks: true };
       // @ts-expect-error a dog has no name
       export const dog: NamedOutput = [{ __typename: 'Dog', barks: true }];
       // @ts-expect-error exactly one
       export const both: By = { id: '1', name: 'x' };
       // @ts-expect-error exactly one
       export const none: By = {};`,
    );
    expect(typeProblems(path)).toEqual([]);
  });

  const testGo = isInstalled('gofmt', 'interfaces and unions in Go') ? test : test.skip;
  testGo('are interfaces in Go for interfaces and unions', async () => {
    const path = await directory();
    writeFileSync(join(path, 'types.go'), typesOf(ABSTRACT).go);
    writeFileSync(
      join(path, 'use.go'),
      'package actions\n\nvar pet Pet = &Dog{Typename: "Dog", Friend: &Cat{Typename: "Cat"}}\nvar named []Named = []Named{&Cat{}}\n',
    );
    expect(runIn(path, 'gofmt', ['-l', 'types.go'])).toEqual({ status: 0, output: '' });
    expect(runIn(path, 'go', ['vet', 'types.go', 'use.go'], { GO111MODULE: 'off', GOFLAGS: '' })).toEqual({
      status: 0,
      output: '',
    });
  });

  test('are unions in Python for interfaces and unions', () => {
    const { python } = typesOf(ABSTRACT);
    expect(python).toContain('Pet = Union[Cat, Dog]');
    expect(python).toContain('    typename: Literal["Cat"] = Field(default="Cat", alias="__typename")');
  });

  test('have the JSON types of custom scalars that are given', () => {
    const sdl = 'type Query { all: Money } scalar Money';
    const { typescript, python, go } = typesOf(sdl, new Map([['Money', 'number']]));
    expect(typescript).toContain('export type Money = number;');
    expect(python).toContain('Money = float');
    expect(go).toContain('type Money = float64');
    expect(typesOf(sdl).typescript).toContain('export type Money = unknown;');
  });
});

describe('generated files', () => {
  const sources = { sdl: 'type Mutation { run(a: Int): Int }', actions: { run: {} } };

  test('are the same each time, whatever the order of the metadata', async () => {
    const sdl = (one: string, other: string) => `type Query { ${one} ${other} } type A { a: Int } type B { b: Int }`;
    const first = await keep(metadataDirectory(actionFiles({ sdl: sdl('x: A', 'y: B'), actions: { x: {}, y: {} } })));
    const second = await keep(metadataDirectory(actionFiles({ sdl: sdl('y: B', 'x: A'), actions: { y: {}, x: {} } })));
    for (const target of ['express', 'fastapi', 'go'] as const) {
      const [one, other] = [first, second].map(({ path }) => generate(path, target));
      await Promise.all([one, other].map((generated) => generated && keep(Promise.resolve(generated))));
      for (const { file } of one?.written ?? []) {
        const name = file.slice((one?.path.length ?? 0) + 1);
        expect(readFileSync(join(other?.path ?? '', name), 'utf8')).toBe(readFileSync(file, 'utf8'));
      }
    }
  });

  test('replace nothing without force, all or none, and never the developer’s files', async () => {
    const metadata = await keep(metadataDirectory(actionFiles(sources)));
    const { path, written } = await keep(Promise.resolve(generate(metadata.path, 'express')));
    expect(written.every(({ outcome }) => outcome === 'written')).toBe(true);
    const { loadMetadata } = await import('../../../gateway/metadata/index.ts');
    const files = generatedFiles(handlerModel(loadMetadata(metadata.path)), 'express', false);
    expect(writeGenerated(path, files, false).every(({ outcome }) => outcome === 'unchanged')).toBe(true);

    writeFileSync(join(path, 'action-run.ts'), '// mine');
    writeFileSync(join(path, 'types.ts'), '// changed');
    rmSync(join(path, 'app.ts'));
    expect(() => writeGenerated(path, files, false)).toThrow(
      /types\.ts: exists with another content, and nothing was written/,
    );
    expect(() => readFileSync(join(path, 'app.ts'))).toThrow('ENOENT');

    const forced = new Map(
      writeGenerated(path, files, true).map(({ file, outcome }) => [file.slice(path.length + 1), outcome]),
    );
    expect(Object.fromEntries(forced)).toMatchObject({
      'types.ts': 'written',
      'app.ts': 'written',
      'action-run.ts': 'kept',
    });
    expect(readFileSync(join(path, 'action-run.ts'), 'utf8')).toBe('// mine');
    expect(readFileSync(join(path, 'types.ts'), 'utf8')).toContain('RunInput');
  });

  test('are refused where a file or a directory is in the way', async () => {
    const metadata = await keep(metadataDirectory({ ...actionFiles(sources), 'taken/types.ts/x': '', file: '' }));
    const { loadMetadata } = await import('../../../gateway/metadata/index.ts');
    const files = generatedFiles(handlerModel(loadMetadata(metadata.path)), 'express', true);
    expect(() => writeGenerated(join(metadata.path, 'taken'), files, true)).toThrow('codegen: cannot write to');
    expect(() => writeGenerated(join(metadata.path, 'file'), files, true)).toThrow('is a file, or is within one');
  });
});
