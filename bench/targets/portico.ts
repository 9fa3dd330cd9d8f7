import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type GroupProcess } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import type { GraphName } from '../subgraphs/index.ts';
import {
  actionFieldMetadata,
  type BenchMetadata,
  federationMetadata,
  federationRolesMetadata,
  plainMetadata,
  relationshipMetadata,
  rolesMetadata,
  stitchedMetadata,
  writeMetadata,
} from './portico-metadata.ts';
import { type BenchDependencies, type Target, type TargetAddress, whenReady } from './target.ts';
import { makeCaller, type TokenHolder } from './token.ts';

/** A started gateway, which may not be ready yet. */
export interface StartedPortico {
  readonly member: GroupProcess;
  readonly address: TargetAddress;
  readonly metadataDirectory: string;
}

export interface PorticoOptions {
  readonly nodeArguments?: readonly string[];
  readonly environment?: Record<string, string>;
  /** The checkout whose compiled code runs. Defaults to this one. */
  readonly packageDir?: string;
  /** The caller whose tokens the gateway accepts. Defaults to a new one. */
  readonly caller?: TokenHolder;
}

/**
 * Starts Portico as in production, with one worker and this metadata. Requests have a user's token, which is verified, and
 * whose claims are forwarded.
 */
export async function startPortico(
  { group, cores, countsCalls = false }: BenchDependencies,
  metadata: BenchMetadata,
  options: PorticoOptions = {},
): Promise<StartedPortico> {
  const { packageDir = PACKAGE_DIR, caller = makeCaller() } = options;
  const metadataDirectory = group.directory('metadata');
  writeMetadata(metadataDirectory, metadata);
  const port = await freePort();
  const member = group.start({
    name: 'portico',
    command: [process.execPath, ...(options.nodeArguments ?? []), join(packageDir, 'dist/gateway/main.js')],
    directory: packageDir,
    environment: {
      ...imageEnvironment(packageDir),
      PORTICO_WORKERS: '1',
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_METADATA_DIR: metadataDirectory,
      HASURA_GRAPHQL_JWT_SECRET: caller.jwtSecret,
      ...options.environment,
      ...(countsCalls && EVERY_CALL),
    },
    core: cores.gateway,
    standardOutput: 'discard',
  });
  const address = {
    origin: `http://127.0.0.1:${port}`,
    graphqlPath: '/v1/graphql',
    headers: { authorization: `Bearer ${caller.token}` },
  };
  return { member, address, metadataDirectory };
}

/** Returns the environment that the image sets for each process: production. */
function imageEnvironment(packageDir: string): Record<string, string> {
  const dockerfile = readFileSync(join(packageDir, 'Dockerfile'), 'utf8');
  return Object.fromEntries(
    [...dockerfile.matchAll(/^ENV (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** The load comes from one caller, whose identical queries would be sent once by default. Real callers differ. */
const EVERY_CALL = { PORTICO_UPSTREAM_DEDUPLICATE: 'never' };

/** The services as remote schemas. This is the default. */
export const plainPortico = plainOf({ name: 'portico', title: 'Portico' });

export const porticos: readonly Target[] = [
  plainPortico,
  federatedOf({ name: 'portico-federation', title: 'Portico, federation' }),
  federatedOf({
    name: 'portico-federation-sharing',
    title: 'Portico, federation, sharing',
    options: { environment: { PORTICO_UPSTREAM_DEDUPLICATE: 'in-flight' } },
  }),
  porticoTarget(
    { name: 'portico-unshared', title: 'Portico, every call sent', options: { environment: EVERY_CALL } },
    ['H', 'L', 'W', 'S'],
    plainMetadata,
  ),
  porticoTarget(
    {
      name: 'portico-federation-unshared',
      title: 'Portico, federation, every call sent',
      options: { environment: EVERY_CALL },
    },
    ['P', 'G', 'G10'],
    federationMetadata,
  ),
  ...rolesOf({ name: 'portico', title: 'Portico' }),
  ...joinedOf({ name: 'portico', title: 'Portico' }),
];

/** Returns Portico's targets from another compiled checkout, such as the commit before a change. */
export function porticosAt(packageDir: string): readonly Target[] {
  const options = { packageDir };
  return [
    plainOf({ name: 'portico-other', title: 'Portico, other checkout', options }),
    federatedOf({ name: 'portico-other-federation', title: 'Portico, other checkout, federation', options }),
    ...rolesOf({ name: 'portico-other', title: 'Portico, other checkout', options }),
    ...joinedOf({ name: 'portico-other', title: 'Portico, other checkout', options }),
  ];
}

/** A way of running Portico, and how it differs from the usual one. */
export interface PorticoVariant {
  readonly name: string;
  readonly title: string;
  readonly family?: string;
  readonly options?: PorticoOptions;
}

export function plainOf(variant: PorticoVariant): Target {
  return porticoTarget(variant, ['U', 'H', 'L', 'W', 'S', 'M', 'A', 'R', 'B', 'operation-handler'], plainMetadata);
}

export function federatedOf(variant: PorticoVariant): Target {
  return porticoTarget(variant, ['U', 'H', 'L', 'W', 'P', 'S', 'M', 'B', 'G', 'G10'], federationMetadata);
}

/** Returns the targets of a role that sees a part of a service. The list is measured for comparison. */
function rolesOf({ name, title, options = {} }: PorticoVariant): readonly Target[] {
  const plain = { name: `${name}-roles`, title: `${title}, with permissions`, options };
  const federated = { name: `${name}-federation-roles`, title: `${title}, federation with permissions`, options };
  return [
    porticoTarget(plain, ['L', 'preset', 'literal', 'narrow', 'namespace'], rolesMetadata),
    porticoTarget(federated, ['L', 'federation-preset'], federationRolesMetadata),
  ];
}

/** Returns the targets with objects that are split between two services. */
function joinedOf({ name, title, options = {} }: PorticoVariant): readonly Target[] {
  const stitched = { name: `${name}-stitched`, title: `${title}, stitched`, options };
  const acting = { name: `${name}-action-field`, title: `${title}, with an action as a field`, options };
  const related = { name: `${name}-relationship`, title: `${title}, with a relationship`, options };
  return [
    porticoTarget(stitched, ['stitched'], stitchedMetadata),
    porticoTarget(related, ['relationship'], relationshipMetadata),
    porticoTarget(acting, ['action-field'], actionFieldMetadata),
  ];
}

function porticoTarget(
  { name, title, family = 'portico', options = {} }: PorticoVariant,
  rows: readonly RowId[],
  metadataFor: (upstream: string, graph: GraphName) => BenchMetadata,
): Target {
  const { packageDir = PACKAGE_DIR } = options;
  const target: Target = {
    name,
    family,
    title,
    kind: 'portico',
    rows,
    version: () => JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version,
    start: async (dependencies, graph = 'small') => {
      const began = performance.now();
      const metadata = metadataFor(dependencies.subgraphs.url, graph);
      const { member, address } = await startPortico(dependencies, metadata, options);
      return whenReady(target, graph, member, address, began);
    },
  };
  return target;
}
