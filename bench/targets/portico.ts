import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type GroupProcess } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import {
  type BenchMetadata,
  federationMetadata,
  federationRolesMetadata,
  plainMetadata,
  rolesMetadata,
  writeMetadata,
} from './portico-metadata.ts';
import { type BenchDependencies, type Target, type TargetAddress, whenReady } from './target.ts';
import { makeCaller, type TokenHolder } from './token.ts';

/** A gateway that has been started, perhaps not yet ready. */
export interface StartedPortico {
  readonly member: GroupProcess;
  readonly address: TargetAddress;
  readonly metadataDirectory: string;
}

export interface PorticoOptions {
  readonly nodeArguments?: readonly string[];
  readonly environment?: Record<string, string>;
  /** The checkout whose compiled code runs; this one by default. */
  readonly packageDir?: string;
  /** Whose tokens it accepts; a new one's by default. */
  readonly caller?: TokenHolder;
}

/**
 * Starts Portico as it runs in production, one worker, with this metadata. Requests carry a user's token, which is
 * verified, and whose claims are forwarded.
 */
export async function startPortico(
  { group, cores }: BenchDependencies,
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
      NODE_ENV: 'production',
      PORTICO_WORKERS: '1',
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_METADATA_DIR: metadataDirectory,
      HASURA_GRAPHQL_JWT_SECRET: caller.jwtSecret,
      ...options.environment,
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

/** The services as remote schemas; the default. */
export const plainPortico = plainOf(PACKAGE_DIR, { name: 'portico', title: 'Portico' });

export const porticos: readonly Target[] = [
  plainPortico,
  federatedOf(PACKAGE_DIR, { name: 'portico-federation', title: 'Portico, federation' }),
  ...rolesOf(PACKAGE_DIR, { name: 'portico', title: 'Portico' }),
];

/** Portico as another checkout has it, compiled, such as the commit before a change. */
export function porticosAt(packageDir: string): readonly Target[] {
  return [
    plainOf(packageDir, { name: 'portico-other', title: 'Portico, other checkout' }),
    federatedOf(packageDir, { name: 'portico-other-federation', title: 'Portico, other checkout, federation' }),
    ...rolesOf(packageDir, { name: 'portico-other', title: 'Portico, other checkout' }),
  ];
}

interface TargetName {
  readonly name: string;
  readonly title: string;
}

function plainOf(packageDir: string, name: TargetName): Target {
  return porticoTarget(packageDir, name, ['U', 'H', 'L', 'W', 'S', 'M', 'A', 'R'], plainMetadata);
}

function federatedOf(packageDir: string, name: TargetName): Target {
  return porticoTarget(packageDir, name, ['U', 'H', 'L', 'W', 'P', 'S', 'M'], federationMetadata);
}

/** Those of a role that sees a part of a service; the list is measured for comparison. */
function rolesOf(packageDir: string, { name, title }: TargetName): readonly Target[] {
  const plain = { name: `${name}-roles`, title: `${title}, with permissions` };
  const federated = { name: `${name}-federation-roles`, title: `${title}, federation with permissions` };
  return [
    porticoTarget(packageDir, plain, ['L', 'preset', 'literal', 'narrow', 'namespace'], rolesMetadata),
    porticoTarget(packageDir, federated, ['L', 'federation-preset'], federationRolesMetadata),
  ];
}

function porticoTarget(
  packageDir: string,
  { name, title }: TargetName,
  rows: readonly RowId[],
  metadataFor: (upstream: string) => BenchMetadata,
): Target {
  const target: Target = {
    name,
    family: 'portico',
    title,
    kind: 'portico',
    rows,
    version: () => JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version,
    start: async (dependencies) => {
      const began = performance.now();
      const metadata = metadataFor(dependencies.subgraphs.url);
      const { member, address } = await startPortico(dependencies, metadata, { packageDir });
      return whenReady(target, member, address, began);
    },
  };
  return target;
}
