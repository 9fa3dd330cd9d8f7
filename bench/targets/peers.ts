import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Crew, freePort } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import { federationOneSdl, SUBGRAPH_NAMES, supergraphSdl } from '../subgraphs/index.ts';
import { ready, type Surroundings, type Target } from './target.ts';

const ROWS_OF_PEERS: readonly RowId[] = ['U', 'H', 'L', 'W', 'P', 'S', 'M'];
const INSTALL_WITHIN_MS = 10 * 60_000;

interface Peer {
  readonly name: string;
  readonly family: string;
  readonly title: string;
  /** The package whose version is the peer's. */
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
    start: async (surroundings) => {
      await install(directory, peer, surroundings);
      const { crew, cores, subgraphs } = surroundings;
      const urlOf = (name: string) => `${subgraphs.url}/${name}`;
      const supergraphFile = join(crew.directory(peer.name), 'supergraph.graphql');
      writeFileSync(supergraphFile, supergraphSdl(urlOf));
      const services = SUBGRAPH_NAMES.map((name) => ({ name, url: urlOf(name), schema: federationOneSdl(name) }));
      const port = await freePort();
      const began = performance.now();
      const member = crew.start({
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
      return ready(target, member, { origin: `http://127.0.0.1:${port}`, graphqlPath }, began);
    },
  };
  return target;
});

/** Installs the peer on first use, apart from what Portico depends on. @throws when npm cannot. */
async function install(directory: string, { family, package: name }: Peer, { crew, say }: Surroundings): Promise<void> {
  if (installedVersion(directory, name) === wantedVersion(directory, name)) return;
  say(`installing ${family} (once)`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (await npm(crew, directory, ['ci', ...options])) return;
  // The lock file is refused where the registry lacks something that it names; the exact versions stay those asked for.
  if (await npm(crew, directory, ['install', '--no-package-lock', ...options])) return;
  throw new Error(`npm cannot install it into ${directory}`);
}

async function npm(crew: Crew, directory: string, npmArguments: readonly string[]): Promise<boolean> {
  const member = crew.start({
    name: 'npm',
    command: ['npm', ...npmArguments],
    directory,
    environment: npmEnvironment(),
  });
  const timer = setTimeout(member.stop, INSTALL_WITHIN_MS);
  try {
    await member.completed();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** How npm reaches its registry from here. */
function npmEnvironment(): Record<string, string> {
  const wanted = /^(npm_config_.*|.*_proxy|NODE_EXTRA_CA_CERTS)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value && wanted.test(name) ? [[name, value]] : [])),
  );
}

function installedVersion(directory: string, name: string): string | undefined {
  const file = join(directory, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function wantedVersion(directory: string, name: string): string {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).dependencies[name];
}
