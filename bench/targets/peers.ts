import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import { federationOneSdl, subgraphsOf, supergraphSdl } from '../subgraphs/index.ts';
import { installedVersion, installPackage } from './install.ts';
import { type Target, whenReady } from './target.ts';

/** The rows that gateways of federations can be measured with. */
export const ROWS_OF_PEERS: readonly RowId[] = ['U', 'H', 'L', 'W', 'P', 'S', 'M', 'B', 'G', 'G10'];

interface Peer {
  readonly name: string;
  readonly family: string;
  readonly title: string;
  /** The package whose version is the peer's version. */
  readonly package: string;
  readonly graphqlPath: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const hive = { family: 'hive', package: '@graphql-hive/gateway', graphqlPath: '/graphql' };

const PEERS: readonly Peer[] = [
  {
    name: 'mercurius',
    family: 'mercurius',
    title: 'Mercurius, JIT',
    package: 'mercurius',
    graphqlPath: '/graphql',
    environment: { JIT: '1' },
  },
  { name: 'apollo', family: 'apollo', title: 'Apollo Gateway', package: '@apollo/gateway', graphqlPath: '/' },
  { ...hive, name: 'hive-default', title: 'Hive Gateway' },
  { ...hive, name: 'hive-jit', title: 'Hive, JIT', environment: { JIT: '1' } },
  { ...hive, name: 'hive-dedupe', title: 'Hive, JIT, deduplication', environment: { JIT: '1', DEDUPE: '1' } },
  { ...hive, name: 'hive-rust', title: 'Hive, Rust planner', environment: { RUST: '1' } },
];

export const peers: readonly Target[] = PEERS.map((peer) => {
  const directory = join(PACKAGE_DIR, 'bench/peers', peer.family);
  const target: Target = {
    name: peer.name,
    family: peer.family,
    title: peer.title,
    kind: 'peer',
    rows: ROWS_OF_PEERS,
    version: () => installedVersion(directory, peer.package),
    start: async (dependencies, graph = 'small') => {
      await installPackage({ directory, ...peer }, dependencies);
      const { group, cores, subgraphs } = dependencies;
      const supergraphFile = join(group.directory(peer.name), 'supergraph.graphql');
      writeFileSync(supergraphFile, supergraphSdl(graph, subgraphs.url));
      const services = subgraphsOf(graph).map((subgraph) => ({
        name: subgraph.name,
        url: subgraphs.url + subgraph.path,
        schema: federationOneSdl(subgraph),
      }));
      const port = await freePort();
      const began = performance.now();
      const member = group.start({
        name: peer.name,
        command: [process.execPath, 'server.mjs'],
        directory,
        environment: {
          NODE_ENV: 'production',
          PORT: String(port),
          SUPERGRAPH: supergraphFile,
          SERVICES: JSON.stringify(services),
          ...peer.environment,
        },
        core: cores.gateway,
      });
      const { graphqlPath } = peer;
      return whenReady(target, graph, member, { origin: `http://127.0.0.1:${port}`, graphqlPath }, began);
    },
  };
  return target;
});
