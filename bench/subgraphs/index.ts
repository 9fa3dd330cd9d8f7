import { join } from 'node:path';
import { type Cores, freePort, type ProcessGroup, until } from '../machine/index.ts';
import { COMPILED_DIR } from '../package-dir.ts';

export { ARTICLES_OF_8_MIB, ARTICLES_OF_87_KB, articles, products, rates } from './data.ts';
export {
  type BenchSubgraph,
  federationOneSdl,
  GRAPH_NAMES,
  type GraphName,
  joinedSdl,
  listsSdl,
  plainSdl,
  publicSdl,
  SUBGRAPH_NAMES,
  subgraphsOf,
  supergraphSdl,
} from './graph.ts';
export { heavyAnswer, heavyQuery, publishedAnswer } from './heavy.ts';
export { type ManyKind, rootField } from './many.ts';

/** The services behind the gateways. */
export interface Subgraphs {
  readonly url: string;
  /** Returns how many requests the services have received since the last call. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSubgraphs(group: ProcessGroup, cores: Cores): Promise<Subgraphs> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const member = group.start({
    name: 'subgraphs',
    command: [process.execPath, join(COMPILED_DIR, 'bench/subgraphs/main.js')],
    environment: { PORT: String(port) },
    core: cores.subgraphs,
  });
  const count = async () => Number(await (await fetch(`${url}/count`)).text());
  await until('the subgraphs', member, count);
  return { url, count, stop: member.stop };
}
