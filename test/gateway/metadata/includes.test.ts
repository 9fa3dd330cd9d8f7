import { describe, expect, test } from '@jest/globals';
import { load, problemsIn, remote } from './load.ts';

const names = (files: Record<string, unknown>) => load(files).remoteSchemas.map((schema) => schema.name);

describe('a file that includes another one', () => {
  test('may say so with a tag or, as Hasura writes it, in a text', () => {
    expect(names({ 'remote_schemas.yaml': '- !include shop.yaml', 'shop.yaml': remote('shop') })).toEqual(['shop']);
    expect(names({ 'remote_schemas.yaml': '- "!include shop.yaml"', 'shop.yaml': remote('shop') })).toEqual(['shop']);
  });

  test('may be nothing but the name of the other', () => {
    const files = { 'remote_schemas.yaml': '"!include remote_schemas/all.yaml"' };
    expect(names({ ...files, 'remote_schemas/all.yaml': [remote('a'), remote('b')] })).toEqual(['a', 'b']);
  });

  test('names it relative to its own folder, at any depth', () => {
    expect(
      names({
        'remote_schemas.yaml': '["!include teams/shop/index.yaml", "!include teams/mail.yaml"]',
        'teams/shop/index.yaml': 'name: shop\ndefinition: !include parts/definition.yaml',
        'teams/shop/parts/definition.yaml': 'url: http://127.0.0.1:1/graphql\nheaders: !include ../../headers.yaml',
        'teams/headers.yaml': [{ name: 'x-team', value: 'shop' }],
        'teams/mail.yaml': remote('mail'),
      }),
    ).toEqual(['shop', 'mail']);
  });

  test('does not make what it includes something that is ignored', () => {
    const { ignored } = load({
      'remote_schemas.yaml': '- !include teams/shop.yaml',
      'teams/shop.yaml': remote('shop'),
      'teams/old.yaml': remote('old'),
    });
    expect(ignored).toEqual([{ file: 'teams/old.yaml', what: 'not referenced by any other file' }]);
  });
});

describe('a mistake in an included file', () => {
  test('is placed there, with the line and the path in that file', () => {
    expect(
      problemsIn({
        'remote_schemas.yaml': '- name: mail\n  definition: { url: http://a }\n- !include shop.yaml',
        'shop.yaml': 'name: shop\ndefinition:\n  # a comment\n  url: http://b\n  timeout_seconds: soon\n',
      }),
    ).toEqual([
      { file: 'shop.yaml', line: 5, path: 'definition.timeout_seconds', message: 'expected number, received string' },
    ]);
  });

  test('is placed there when the whole file is of the wrong kind', () => {
    const [problem] = problemsIn({ 'remote_schemas.yaml': '- !include shop.yaml', 'shop.yaml': '[1]' });
    expect(problem).toMatchObject({ file: 'shop.yaml', line: 1, message: expect.stringContaining('expected object') });
  });

  test('of its syntax is placed there too', () => {
    expect(problemsIn({ 'remote_schemas.yaml': '- !include shop.yaml', 'shop.yaml': 'a: 1\nb: [1' })).toMatchObject([
      { file: 'shop.yaml', line: 2 },
    ]);
  });
});

describe('an invalid include is reported with its line', () => {
  test.each([
    ['a file that does not exist', 'shop.yaml', '"shop.yaml" does not exist'],
    ['a file outside of the directory', '../secrets.yaml', '"../secrets.yaml" is outside of the metadata directory'],
    ['the folder above', '..', '".." is outside of the metadata directory'],
    ['a way out by detours', 'a/../../b.yaml', '"a/../../b.yaml" is outside of the metadata directory'],
    ['an absolute path, which is taken within the directory', '/etc/hostname', '"/etc/hostname" does not exist'],
    ['itself', 'remote_schemas.yaml', '"remote_schemas.yaml" includes itself'],
    ['itself by another name', './x/../remote_schemas.yaml', '"./x/../remote_schemas.yaml" includes itself'],
  ])('%s', (_, file, message) => {
    expect(problemsIn({ 'remote_schemas.yaml': `# first\n- !include ${file}` })).toEqual([
      { file: 'remote_schemas.yaml', line: 2, message },
    ]);
  });

  test('a folder', () => {
    expect(problemsIn({ 'remote_schemas.yaml': '- !include shop', 'shop/a.yaml': '' })).toEqual([
      { file: 'shop', message: 'cannot be read (EISDIR)' },
    ]);
  });

  test('a circle of several files', () => {
    expect(
      problemsIn({
        'remote_schemas.yaml': '- !include a.yaml',
        'a.yaml': 'name: !include b/b.yaml',
        'b/b.yaml': 'x: !include ../a.yaml',
      }),
    ).toEqual([{ file: 'b/b.yaml', line: 1, message: '"../a.yaml" includes itself' }]);
  });

  test('so many that they never end', () => {
    const twice = (file: string) => `[!include ${file}, !include ${file}]`;
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, depth) => [`${depth}.yaml`, twice(`${depth + 1}.yaml`)]),
    );
    const problems = problemsIn({ 'remote_schemas.yaml': twice('0.yaml'), ...files, '40.yaml': 'end' });
    expect(problems[0]?.message).toBe('more than 1000 files are included');
  });
});
