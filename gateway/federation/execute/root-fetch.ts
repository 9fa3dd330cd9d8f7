import type { FetchNode } from '@graphql-hive/router-query-planner';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { mergeInto } from './merge.ts';
import { compileRewrites, renamedPath } from './rewrites.ts';
import { type FetchStep, type PlanRun, reportError } from './run.ts';
import { prepareRequest, requestSubgraph, type SubgraphAnswer, type SubgraphRequest } from './subgraph-request.ts';

/** A fetch of root fields. */
export interface CompiledRootFetch<Context> {
  readonly request: SubgraphRequest;
  /** Merges a response of the subgraph into the data of a run. */
  take(answer: SubgraphAnswer, run: PlanRun<Context>): void;
}

/** Compiles a fetch of root fields. Responses of several subgraphs for the same field are merged. */
export function compileRootFetch<Context>(
  node: FetchNode,
  types: SupergraphTypes,
  clientVariables: ReadonlyMap<string, string>,
): CompiledRootFetch<Context> {
  const request = prepareRequest(node, clientVariables);
  const rewrite = compileRewrites(node.outputRewrites, types);
  const asked = new Set(request.rootKeys().map((key) => String(renamedPath(node.outputRewrites, [key])[0])));
  return {
    request,
    take: ({ data, errors }, run) => {
      if (data) {
        rewrite?.(data);
        mergeInto(run.data, data, types.isAbstract, asked);
      }
      for (const error of errors) {
        if (error.path) reportError(run, error.at(renamedPath(node.outputRewrites, error.path)));
        else for (const path of missingFields(request, node, run)) reportError(run, error.at(path));
      }
    },
  };
}

export function rootFetchStep<Context>({ request, take }: CompiledRootFetch<Context>): FetchStep<Context> {
  return (run, done) =>
    requestSubgraph(request, run, undefined, (answer) => {
      take(answer, run);
      done();
    });
}

/** An error without a path is reported for every root field that it may have set to null. */
function missingFields<Context>(request: SubgraphRequest, node: FetchNode, run: PlanRun<Context>) {
  const keys = request.rootKeys().map((key) => renamedPath(node.outputRewrites, [key]));
  const missing = keys.filter(([key]) => run.data[String(key)] === undefined || run.data[String(key)] === null);
  return missing.length > 0 ? missing : keys;
}

/** Takes a response as the data of a run that holds nothing else. */
export function takeAnswer<Context>(
  request: SubgraphRequest,
  { data, errors }: SubgraphAnswer,
  run: PlanRun<Context>,
): void {
  if (data) Object.assign(run.data, data);
  for (const error of errors) {
    if (error.path) reportError(run, error.at(error.path));
    else for (const key of missingKeys(request, run)) reportError(run, error.at([key]));
  }
}

function missingKeys<Context>(request: SubgraphRequest, run: PlanRun<Context>): string[] {
  const keys = request.rootKeys();
  const missing = keys.filter((key) => run.data[key] === undefined || run.data[key] === null);
  return missing.length > 0 ? missing : keys;
}
