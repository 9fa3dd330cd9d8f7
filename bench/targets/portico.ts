import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type GroupProcess } from '../machine/index.ts';
import { COMPILED_DIR, PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import { type BenchMetadata, federationMetadata, plainMetadata, writeMetadata } from './portico-metadata.ts';
import { type BenchDependencies, type Target, type TargetAddress, whenReady } from './target.ts';
import { makeCaller } from './token.ts';

/** A gateway that has been started, perhaps not yet ready. */
export interface StartedPortico {
  readonly member: GroupProcess;
  readonly address: TargetAddress;
  readonly metadataDirectory: string;
}

/**
 * Starts Portico as it runs in production, one worker, with this metadata. Requests carry a user's token, which is
 * verified, and whose claims are forwarded.
 */
export async function startPortico(
  { group, cores }: BenchDependencies,
  metadata: BenchMetadata,
  options: { readonly nodeArguments?: readonly string[]; readonly environment?: Record<string, string> } = {},
): Promise<StartedPortico> {
  const metadataDirectory = group.directory('metadata');
  writeMetadata(metadataDirectory, metadata);
  const caller = makeCaller();
  const port = await freePort();
  const member = group.start({
    name: 'portico',
    command: [process.execPath, ...(options.nodeArguments ?? []), join(COMPILED_DIR, 'gateway/main.js')],
    directory: PACKAGE_DIR,
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
export const plainPortico = portico('portico', 'Portico', ['U', 'H', 'L', 'W', 'S', 'M', 'A', 'R'], plainMetadata);

const federatedPortico = portico(
  'portico-federation',
  'Portico, federation',
  ['U', 'H', 'L', 'W', 'P', 'S', 'M'],
  federationMetadata,
);

export const porticos: readonly Target[] = [plainPortico, federatedPortico];

function portico(
  name: string,
  title: string,
  rows: readonly RowId[],
  metadataFor: (upstream: string) => BenchMetadata,
): Target {
  const target: Target = {
    name,
    family: 'portico',
    title,
    kind: 'portico',
    rows,
    version: () => JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')).version,
    start: async (dependencies) => {
      const began = performance.now();
      const { member, address } = await startPortico(dependencies, metadataFor(dependencies.subgraphs.url));
      return whenReady(target, member, address, began);
    },
  };
  return target;
}
