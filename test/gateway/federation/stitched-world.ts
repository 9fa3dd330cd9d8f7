import { type DocumentNode, getOperationAST, graphql, parse, print } from 'graphql';
import { StitchedGraph } from '../../../gateway/stitching/index.ts';
import { readSubgraphs } from '../../../gateway/supergraph/index.ts';
import type { Answered } from '../generated/same-answer.ts';
import { federate } from './world.ts';

type Variables = Record<string, unknown>;

export interface StitchedWorld {
  /** The representations that subgraphs were sent. */
  readonly sent: unknown[];
  ask(text: string): Promise<Answered>;
  close(): Promise<void>;
}

/** Stitches subgraphs. */
export async function openStitched(subgraphs: Parameters<typeof federate>[0]): Promise<StitchedWorld> {
  const opened = await federate(subgraphs);
  const sent: unknown[] = [];
  const subschemas = (readSubgraphs(parse(opened.supergraphSdl)) ?? []).map(({ name, schema, merge }) => {
    const executor = ({ document, variables = {} }: { document: DocumentNode; variables?: Variables }) => {
      sent.push(...Object.values(variables).flat());
      const subgraph = opened.schemas.get(name);
      if (!subgraph) throw new Error(`no subgraph ${name}`);
      return graphql({ schema: subgraph, source: print(document), variableValues: variables });
    };
    return { schema, merge, executor };
  });
  const { publicSchema } = opened.graph;
  const graph = new StitchedGraph({ internal: publicSchema, executable: publicSchema }, subschemas, []);
  const ask = async (text: string) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    return JSON.parse(JSON.stringify(await graph.compile({ document, operation })({}, undefined)));
  };
  return { sent, ask, close: opened.close };
}
