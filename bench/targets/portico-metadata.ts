import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphName, joinedSdl, listsSdl, plainSdl, SUBGRAPH_NAMES, subgraphsOf } from '../subgraphs/index.ts';

/** The files of a metadata directory. Texts are written unchanged, other values as JSON, which is also YAML. */
export type BenchMetadata = Readonly<Record<string, unknown>>;

/** Returns metadata with the services as plain remote schemas, two actions and a REST endpoint. */
export function plainMetadata(upstream: string): BenchMetadata {
  return {
    'remote_schemas.yaml': SUBGRAPH_NAMES.map((name) => ({
      name,
      definition: { url: `${upstream}/${name}`, schema_file: `${name}.graphql` },
    })),
    ...Object.fromEntries(SUBGRAPH_NAMES.map((name) => [`${name}.graphql`, plainSdl(name)])),
    'actions.yaml': {
      actions: [
        {
          name: 'placeOrder',
          definition: { kind: 'synchronous', handler: `${upstream}/action` },
          permissions: [{ role: 'user' }],
        },
        {
          name: 'renamed',
          definition: {
            handler: { operation: 'rename', collection: 'bench', variables: '{ "name": {{$body.input.name}} }' },
          },
          permissions: [{ role: 'user' }],
        },
      ],
      custom_types: { objects: [{ name: 'Order' }, { name: 'Renamed' }] },
    },
    'actions.graphql': `type Mutation { placeOrder(item: String!): Order renamed(name: String!): Renamed }
      type Order { id: ID! status: String! } type Renamed { id: ID! name: String }`,
    'query_collections.yaml': [
      {
        name: 'bench',
        definition: {
          queries: [
            { name: 'hello', query: 'query hello($name: String) { hello(name: $name) }' },
            {
              name: 'rename',
              query: 'mutation rename($name: String!) { renameProduct(id: "1", name: $name) { id name } }',
            },
          ],
        },
      },
    ],
    'rest_endpoints.yaml': [
      {
        name: 'hello',
        url: 'hello/:name',
        methods: ['GET'],
        definition: { query: { collection_name: 'bench', query_name: 'hello' } },
      },
    ],
  };
}

/** Returns metadata with the services as the subgraphs of one federation. */
export function federationMetadata(upstream: string, graph: GraphName = 'small'): BenchMetadata {
  const subgraphs = subgraphsOf(graph);
  return {
    'remote_schemas.yaml': subgraphs.map(({ name, path }) => ({
      name,
      definition: { url: upstream + path, composition: 'federation', schema_file: `${name}.graphql` },
    })),
    ...Object.fromEntries(subgraphs.map(({ name, sdl }) => [`${name}.graphql`, sdl])),
  };
}

/** Returns metadata with the service `a`, and one that is stitched to it. */
export function stitchedMetadata(upstream: string): BenchMetadata {
  return joinedServices(upstream, 'stitched', { a: {}, stitched: {} }, { composition: 'stitching' });
}

/** Returns metadata with the service `a`, whose products have a relationship to a root field with one id. */
export function relationshipMetadata(upstream: string): BenchMetadata {
  const stock = {
    remote_schema: 'stock',
    lhs_fields: ['id'],
    remote_field: { stock: { arguments: { id: '$id' } } },
  };
  const relationships = [{ name: 'stock', definition: { to_remote_schema: stock } }];
  const a = { remote_relationships: [{ type_name: 'Product', relationships }] };
  return joinedServices(upstream, 'stock', { a, stock: {} }, {});
}

/** Returns metadata with the service `a`, whose products have a field that an action resolves in batches. */
export function actionFieldMetadata(upstream: string): BenchMetadata {
  const field = { type: 'Product', name: 'stock', key: 'id', batch: true };
  return {
    'remote_schemas.yaml': [{ name: 'a', definition: { url: `${upstream}/a`, schema_file: 'a.graphql' } }],
    'a.graphql': plainSdl('a'),
    'actions.yaml': {
      actions: [
        { name: 'stock', definition: { handler: `${upstream}/stock-action`, field }, permissions: [{ role: 'user' }] },
      ],
    },
    'actions.graphql': joinedSdl('stock'),
  };
}

function joinedServices(
  upstream: string,
  joined: 'stitched' | 'stock',
  services: Readonly<Record<string, object>>,
  definition: object,
): BenchMetadata {
  return {
    'remote_schemas.yaml': Object.entries(services).map(([name, more]) => ({
      name,
      definition: { url: `${upstream}/${name}`, schema_file: `${name}.graphql`, ...definition },
      ...more,
    })),
    'a.graphql': plainSdl('a'),
    [`${joined}.graphql`]: joinedSdl(joined),
  };
}

/** Returns metadata with the plain services, one of which the role `user` sees in part, and one in a namespace. */
export function rolesMetadata(upstream: string): BenchMetadata {
  const plain = plainMetadata(upstream);
  const shop = {
    name: 'shop',
    definition: { url: `${upstream}/a`, schema_file: 'a.graphql', customization: { root_fields_namespace: 'shop' } },
  };
  const remotes = plain['remote_schemas.yaml'] as readonly object[];
  return { ...plain, ...withLists(upstream, [...remotes, shop], 'plain') };
}

/** Returns metadata with the subgraphs, one of which the role `user` sees in part. */
export function federationRolesMetadata(upstream: string): BenchMetadata {
  const federated = federationMetadata(upstream);
  const remotes = federated['remote_schemas.yaml'] as readonly object[];
  return { ...federated, ...withLists(upstream, remotes, 'federation') };
}

function withLists(upstream: string, remotes: readonly object[], composition: 'plain' | 'federation'): BenchMetadata {
  const sdl = composition === 'plain' ? listsSdl().replace(/^extend schema.*\n/, '') : listsSdl();
  const schema = listsSdl()
    .replace(/^extend schema.*\n/, '')
    .replace('tenant: ID!', 'tenant: ID! @preset(value: "x-hasura-tenant-id")')
    .replace('kind: String!', 'kind: String! @preset(value: "usual")')
    .replace('  LOCKED\n', '');
  const lists = {
    name: 'lists',
    definition: { url: `${upstream}/lists`, schema_file: 'lists.graphql', composition },
    permissions: [{ role: 'user', definition: { schema } }],
  };
  return { 'remote_schemas.yaml': [...remotes, lists], 'lists.graphql': sdl };
}

/** Returns metadata with `remotes` services that have `fields` root fields in total, each with its own name as its value. */
export function wideMetadata(
  upstream: string,
  fields: number,
  remotes = 1,
  composition: 'plain' | 'federation' = 'plain',
): BenchMetadata {
  const perRemote = fields / remotes;
  const names = Array.from({ length: remotes }, (_, index) => `wide${index}`);
  return {
    'remote_schemas.yaml': names.map((name) => ({
      name,
      definition: { url: `${upstream}/wide`, schema_file: `${name}.graphql`, composition },
    })),
    ...Object.fromEntries(
      names.map((name, index) => [`${name}.graphql`, wideSdl(index * perRemote, (index + 1) * perRemote)]),
    ),
  };
}

/** Returns the SDL of a service with the root fields `f<from>` to `f<to - 1>`. */
export function wideSdl(from: number, to: number): string {
  const fields = Array.from({ length: to - from }, (_, index) => `  f${from + index}: String\n`);
  return `type Query {\n${fields.join('')}}\n`;
}

/** Writes the files into `directory`. `version.yaml` may be omitted. */
export function writeMetadata(directory: string, files: BenchMetadata): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of Object.entries({ 'version.yaml': { version: 3 }, ...files }))
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
