import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { watchMetadata } from '../../../gateway/metadata/index.ts';
import { keeper, until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const { keep, close } = keeper();
afterEach(close);

/** Watches, and tells how often it was told of a change. */
async function watch(location: string) {
  const seen = { changes: 0 };
  const stop = watchMetadata(location, () => seen.changes++, 50);
  await keep({ close: stop });
  const next = (what: string) => {
    const before = seen.changes;
    return until(what, () => seen.changes > before);
  };
  return { seen, next };
}

describe('a change is seen', () => {
  test('of a file in a folder, of a new file, and of one that is gone', async () => {
    const directory = await keep(metadataDirectory({ 'teams/shop.yaml': 'a' }));
    const { next } = await watch(directory.path);
    directory.write({ 'teams/shop.yaml': 'b' });
    await next('the file is another one');
    directory.write({ 'teams/new/mail.yaml': 'a' });
    await next('there is a new file');
    directory.write({ teams: undefined });
    await next('the folder is gone');
  });

  test('of a single file, and of one that takes its place', async () => {
    const directory = await keep(metadataDirectory({ 'metadata.json': '{}' }));
    const file = join(directory.path, 'metadata.json');
    const { next } = await watch(file);
    writeFileSync(file, '{ }');
    await next('it was written');
    writeFileSync(`${file}.new`, '{ }');
    renameSync(`${file}.new`, file);
    await next('it was replaced');
  });

  test('of links that lead elsewhere now, as those of a Kubernetes config map', async () => {
    const directory = await keep(metadataDirectory());
    const at = (name: string) => join(directory.path, name);
    for (const [version, text] of [
      ['..1', 'a'],
      ['..2', 'b'],
    ] as const) {
      mkdirSync(at(version));
      writeFileSync(join(at(version), 'remote_schemas.yaml'), text);
    }
    symlinkSync('..1', at('..data'));
    symlinkSync('..data/remote_schemas.yaml', at('remote_schemas.yaml'));
    const { next } = await watch(directory.path);
    symlinkSync('..2', at('..new'));
    renameSync(at('..new'), at('..data'));
    await next('the link leads elsewhere');
  });

  test('while edits never rest, now and then', async () => {
    const directory = await keep(metadataDirectory({ 'edited.yaml': '' }));
    const { seen } = await watch(directory.path);
    let edits = 0;
    const editing = setInterval(() => directory.write({ 'edited.yaml': 'x'.repeat(++edits) }), 10);
    await keep({ close: () => clearInterval(editing) });
    await until('it is seen twice', () => seen.changes >= 2);
    expect(seen.changes).toBeLessThan(edits);
  });

  test('as one when it is of several files', async () => {
    const directory = await keep(metadataDirectory());
    const { seen, next } = await watch(directory.path);
    directory.write(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.yaml`, 'x'])));
    await next('the files are there');
    directory.write({ '1.yaml': 'y' });
    await next('one of them has changed');
    expect(seen.changes).toBe(2);
  });
});
