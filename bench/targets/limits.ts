import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../machine/index.ts';
import { COMPILED_DIR } from '../package-dir.ts';
import { ROWS, type Row, type RowId } from '../rows.ts';
import { joinedSdl, plainSdl, publicSdl } from '../subgraphs/index.ts';
import { expectResponse, requestAt, type Target, whenReady } from './target.ts';

const FORWARDED: readonly RowId[] = ['U', 'H', 'L', 'W', 'M', 'B'];

/** The subgraph itself without a gateway. It shows how much load the generator and the subgraph can handle. */
const direct: Target = {
  name: 'direct',
  family: 'direct',
  title: 'subgraph alone',
  kind: 'limit',
  rows: FORWARDED,
  start: async ({ subgraphs }) => {
    const began = performance.now();
    const address = { origin: subgraphs.url, graphqlPath: '/a' };
    await expectResponse(requestAt(address, ROWS.H), ROWS.H.answer);
    return {
      member: undefined,
      readyAfterMs: performance.now() - began,
      request: (row) => requestAt(address, row),
      stop: async () => {},
    };
  },
};

const proxy = limitTarget('proxy', 'bare proxy (node:http)', 'bare-proxy', FORWARDED, () => '/a');
const undiciProxy = limitTarget('undici-proxy', 'undici proxy', 'undici-proxy', FORWARDED, () => '/a');
const BY_HAND: readonly RowId[] = [
  ...(['U', 'H', 'L', 'W', 'P', 'S', 'M', 'A', 'R', 'B', 'G', 'G10'] as const),
  ...(['stitched', 'relationship'] as const),
];
const ideal = limitTarget('ideal', 'ideal (by hand)', 'ideal', BY_HAND, (row) => IDEAL_PATHS[row.id] ?? '/forward');
/** A second limit for the heavy query: with objects that are serialized at the end, as in most gateways. */
const idealObjects = limitTarget('ideal-objects', 'by hand, as objects', 'ideal', ['G', 'G10'], () => '/heavy/objects');

const IDEAL_PATHS: Partial<Record<RowId, string>> = {
  P: '/join',
  S: '/split',
  A: '/action',
  stitched: '/stitched',
  relationship: '/relationship',
  G: '/heavy/texts',
  G10: '/heavy/texts',
};

function limitTarget(
  name: string,
  title: string,
  script: string,
  rows: readonly RowId[],
  graphqlPath: (row: Row) => string,
): Target {
  const target: Target = {
    name,
    family: name,
    title,
    kind: 'limit',
    rows,
    start: async ({ group, cores, subgraphs }, graph = 'small') => {
      const port = await freePort();
      const schemaFile = join(group.directory(name), 'schema.graphql');
      writeFileSync(schemaFile, graph === 'small' ? schemaOfAll() : publicSdl(graph));
      const began = performance.now();
      const member = group.start({
        name,
        command: [process.execPath, join(COMPILED_DIR, 'bench/limits', `${script}.js`)],
        environment: {
          NODE_ENV: 'production',
          PORT: String(port),
          UPSTREAM: subgraphs.url,
          SCHEMA_FILE: schemaFile,
          GRAPH: graph,
        },
        core: cores.gateway,
      });
      return whenReady(target, graph, member, { origin: `http://127.0.0.1:${port}`, graphqlPath }, began);
    },
  };
  return target;
}

/** Returns the schema that the handwritten gateway validates documents against, with the fields of all rows. */
function schemaOfAll(): string {
  return `${plainSdl('a')}
    ${plainSdl('b').replace('type Query', 'extend type Query')}
    ${joinedSdl('stock').replace('type Query', 'extend type Query')}
    extend type Product { price: Int! inStock: Boolean! stock: Stock }
    extend type Mutation { placeOrder(item: String!): Order }
    type Order { id: ID! status: String! }
  `;
}

export const limitTargets: readonly Target[] = [direct, proxy, undiciProxy, ideal, idealObjects];
