import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import { subgraphsOf } from '../subgraphs/index.ts';
import { installedVersion, installPackage } from './install.ts';
import { ROWS_OF_PEERS } from './peers.ts';
import { type Target, whenReady } from './target.ts';

const DIRECTORY = join(PACKAGE_DIR, 'bench/peers/grafbase');
/** The package of the gateway, a single binary. */
const PACKAGE = '@grafbase/cli-x86_64-unknown-linux-musl';

/** A gateway that is compiled to machine code. By default, it sends identical concurrent calls once. */
export const grafbases: readonly Target[] = [
  grafbase('grafbase', 'Grafbase (Rust)', false),
  grafbase('grafbase-sharing', 'Grafbase (Rust), sharing', true),
];

function grafbase(name: string, title: string, shares: boolean): Target {
  const target: Target = {
    name,
    family: 'grafbase',
    title,
    kind: 'peer',
    rows: ROWS_OF_PEERS,
    version: () => installedVersion(DIRECTORY, PACKAGE),
    start: async (dependencies, graph = 'small') => {
      const { platform, arch } = process;
      if (platform !== 'linux' || arch !== 'x64')
        throw new Error(`Grafbase is measured on Linux x64 only: this is ${platform} ${arch}`);
      await installPackage({ directory: DIRECTORY, family: 'grafbase', package: PACKAGE }, dependencies);
      const { group, cores, subgraphs } = dependencies;
      const directory = group.directory(name);
      const tables = subgraphsOf(graph).map((subgraph) => {
        writeFileSync(join(directory, `${subgraph.name}.graphql`), subgraph.sdl);
        return `[subgraphs.${subgraph.name}]\nurl = "${subgraphs.url}${subgraph.path}"\nschema_path = "${subgraph.name}.graphql"\n`;
      });
      const sharing = `[traffic_shaping]\ninflight_deduplication = ${shares}\n`;
      writeFileSync(join(directory, 'grafbase.toml'), [sharing, ...tables].join('\n'));
      const port = await freePort();
      const began = performance.now();
      const member = group.start({
        name,
        command: [
          join(DIRECTORY, 'node_modules', PACKAGE, 'grafbase'),
          'dev',
          '-c',
          'grafbase.toml',
          '-p',
          String(port),
        ],
        directory,
        // The gateway stores files there.
        environment: { HOME: directory },
        core: cores.gateway,
        standardOutput: 'discard',
      });
      const address = { origin: `http://127.0.0.1:${port}`, graphqlPath: '/graphql' };
      return whenReady(target, graph, member, address, began);
    },
  };
  return target;
}
