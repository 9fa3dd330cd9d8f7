import { Kind, type OperationDefinitionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { usedVariables } from '../../syntax/index.ts';
import type { JsonObject } from '../json.ts';
import { type Fetch, type RenamedKey, separateTypes } from '../plan/index.ts';
import { fetchText, fieldTypeIn, type VariableDefinitions } from './entity-request.ts';
import type { FlattenPath } from './flatten-path.ts';
import { copy, mergeInto } from './merge.ts';
import { compileRestoring, restoredPath, selectedKeys } from './renamed-keys.ts';
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
  fetch: Fetch,
  types: SupergraphTypes,
  clientVariables: VariableDefinitions,
): CompiledRootFetch<Context> {
  const { request, restore, renamed, asked } = openRootFetch(fetch, types, clientVariables);
  return {
    request,
    take: ({ data, errors }, run) => {
      if (data) {
        restore?.(data);
        mergeInto(run.data, data, types.isAbstract, asked);
      }
      for (const error of errors) {
        if (error.path) reportError(run, error.at(restoredPath(renamed, error.path)));
        else {
          // Without data, what another service has of a field lacks what this one has of it.
          const had = data ? run.data : NOTHING;
          for (const path of missingFields(request, renamed, had)) reportError(run, error.at(path));
        }
      }
    },
  };
}

function openRootFetch(fetch: Fetch, types: SupergraphTypes, clientVariables: VariableDefinitions) {
  const { service, operation } = fetch;
  const { selections, renamed } = separateTypes(fetch.selections, types.rootType(operation), (parent, field) =>
    fieldTypeIn(types, service, parent, field),
  );
  const definition: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation,
    variableDefinitions: usedVariables(clientVariables, selections),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  return {
    request: prepareRequest(fetchText(definition, service)),
    restore: compileRestoring(renamed, types),
    renamed,
    asked: selectedKeys(selections, renamed),
  };
}

export function rootFetchStep<Context>({ request, take }: CompiledRootFetch<Context>): FetchStep<Context> {
  return (run, done) =>
    requestSubgraph(request, run, undefined, (answer) => {
      take(answer, run);
      done();
    });
}

/** A fetch of fields of the query type whose objects are below other fields: the same for each of them. */
export function compileNestedRoot<Context>(
  fetch: Fetch,
  path: FlattenPath,
  types: SupergraphTypes,
  clientVariables: VariableDefinitions,
): FetchStep<Context> {
  const { request, restore, renamed, asked } = openRootFetch(fetch, types, clientVariables);
  return (run, done) => {
    const targets = path.collect(run.data);
    if (targets.length === 0) {
      done();
      return;
    }
    requestSubgraph(request, run, undefined, ({ data, errors }) => {
      if (data) {
        restore?.(data);
        for (const target of targets) mergeInto(target, copy(data), types.isAbstract, asked);
      }
      if (errors.length > 0) {
        const places = [...path.locate(run.data).values()].flat();
        for (const error of errors)
          for (const place of places.length > 0 ? places : [path.fields])
            reportError(run, error.at([...place, ...restoredPath(renamed, error.path ?? [])]));
      }
      done();
    });
  };
}

const NOTHING: JsonObject = {};

/** An error without a path is reported for every root field that it may have set to null. */
function missingFields(request: SubgraphRequest, renamed: readonly RenamedKey[], data: JsonObject) {
  const keys = request.rootKeys.map((key) => restoredPath(renamed, [key]));
  const missing = keys.filter(([key]) => data[String(key)] === undefined || data[String(key)] === null);
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
    else for (const path of missingFields(request, [], run.data)) reportError(run, error.at(path));
  }
}
