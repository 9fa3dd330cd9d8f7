import { expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync } from 'graphql';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { type RemoteSchema, remoteSchema, type SchemaStore } from '../../../gateway/sources/index.ts';
import type { UpstreamConnections } from '../../../gateway/upstream/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

type Composition = 'plain' | 'stitching' | 'federation';

const COMPOSITIONS: readonly Composition[] = ['plain', 'stitching', 'federation'];
const SDL = 'type Query {\n  shop: String\n}';
const OTHER_SDL = 'type Query {\n  shop: Int\n}';

function answered(composition: Composition, sdl: string): unknown {
  if (composition === 'plain') return graphqlSync({ schema: buildSchema(sdl), source: getIntrospectionQuery() });
  return { data: composition === 'stitching' ? { _sdl: sdl } : { _service: { sdl } } };
}

/** A service, which nothing is sent to over a wire, and the remote schemas that reloads of its metadata make of it. */
function service(composition: Composition) {
  let sdl = SDL;
  const http: UpstreamConnections = {
    dispatch: () => {
      throw new Error('no operation is run here');
    },
    send: async () => {
      const body = JSON.stringify(answered(composition, sdl));
      return { status: 200, headers: {}, body, chunks: [Buffer.from(body)], bytes: Buffer.from(body) };
    },
    pool: () => http,
    buffered: { bytes: 0, held: 0 },
    unfinishedEvents: { begin: () => ({ set: () => true }) },
    close: async () => {},
  };
  const schemas: SchemaStore = { read: async () => ({ composition, sdl, fingerprint: '' }), write: async () => {} };
  const directory = metadataDirectory({
    'remote_schemas.yaml': [{ name: 'shop', definition: { url: 'http://shop.test/', composition } }],
  });
  const { remoteSchemas } = loadMetadata(directory.path);
  directory.close();
  return {
    become: (next: string) => {
      sdl = next;
    },
    reloaded: (): RemoteSchema => {
      const [metadata] = remoteSchemas;
      if (!metadata) throw new Error('the metadata describes no remote schema');
      return remoteSchema(metadata, { environment: {}, http, publicRole: 'anonymous', schemas });
    },
  };
}

test.each(COMPOSITIONS)(
  'the %s schema in use is the only one held after a reload with the same answer',
  async (kind) => {
    const { reloaded } = service(kind);
    const inUse = await reloaded().open();
    const remote = reloaded();
    expect(await remote.open(inUse)).toBe(inUse);
    // Without the one in use: what the remote schema itself holds for an answer that it knows.
    expect(await remote.open()).toBe(inUse);
  },
);

test.each(COMPOSITIONS)('the stored %s schema is the only one held once the service answers the same', async (kind) => {
  const remote = service(kind).reloaded();
  const stored = await remote.openStored();
  expect(stored?.availability.isAvailable).toBe(false);
  expect(await remote.open(stored)).toBe(stored);
  expect(stored?.availability.isAvailable).toBe(true);
  expect(await remote.open()).toBe(stored);
});

test.each(COMPOSITIONS)('a %s schema in use is replaced by another answer', async (kind) => {
  const { become, reloaded } = service(kind);
  const inUse = await reloaded().open();
  become(OTHER_SDL);
  const remote = reloaded();
  const changed = await remote.open(inUse);
  expect(changed).not.toBe(inUse);
  expect(await remote.open(changed)).toBe(changed);
  become(SDL);
  expect(await remote.open(inUse)).toBe(inUse);
});
