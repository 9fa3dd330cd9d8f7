import { Kind, type OperationDefinitionNode } from 'graphql';
import { usedVariables } from '../../../graphql/syntax/index.ts';
import type { JsonObject } from '../json.ts';
import { type Fetch, fieldsOf, fieldTypeIn, type RenamedKey, responseKey, separateTypes } from '../plan/index.ts';
import { compileReadRepeated, compileSharing, type PlacesOfOneFetch, type Sharing } from '../sharing/index.ts';
import type { FlattenPath } from './flatten-path.ts';
import { copy, leaveOutFailedValues, mergeInto } from './merge.ts';
import { compileRestoring, restoredPath, selectedKeys } from './renamed-keys.ts';
import { type FetchStep, type PlanRun, reportError } from './run.ts';
import type { CallService, PlanScope, SubgraphAnswer } from './services.ts';

/** A fetch of root fields. */
export interface CompiledRootFetch<Context> {
  readonly service: string;
  readonly operation: OperationDefinitionNode;
  readonly call: CallService<Context>;
  /** Merges a response of the subgraph into the data of a run. */
  take(answer: SubgraphAnswer, run: PlanRun<Context>): void;
}

/** Compiles a fetch of root fields. Responses of several subgraphs for the same field are merged. */
export function compileRootFetch<Context>(
  fetch: Fetch,
  scope: PlanScope<Context>,
  places: PlacesOfOneFetch,
): CompiledRootFetch<Context> {
  const { types } = scope;
  const sharing = compileSharing(fetch, types.rootType(fetch.operation), places, types);
  const { share } = sharing;
  const { operation, call, rootKeys, restore, renamed, asked } = openRootFetch(fetch, scope, sharing);
  return {
    service: fetch.service,
    operation,
    call,
    take: (response, run) => {
      leaveOutFailedValues(response);
      const { data, errors } = response;
      if (data) {
        restore?.(data);
        share?.(data, run.repeated);
        mergeInto(run.data, data, types.isAbstract, asked);
      }
      for (const error of errors) {
        if (error.path) reportError(run, error.at(restoredPath(renamed, error.path)));
        else {
          // Without data, fields that this service should have returned are missing even if another service returned
          // other parts of the value.
          const had = data ? run.data : NOTHING;
          for (const path of missingFields(rootKeys, renamed, had)) reportError(run, error.at(path));
        }
      }
    },
  };
}

function openRootFetch<Context>(
  fetch: Fetch,
  { types, clientVariables, services }: PlanScope<Context>,
  sharing?: Sharing,
) {
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
    operation: definition,
    call: services.compile(service, definition, NO_VARIABLES, {
      read: sharing && renamed.length === 0 ? compileReadRepeated([{ key: undefined, sharing }]) : undefined,
    }),
    rootKeys: fieldsOf(selections, undefined).map(({ field }) => responseKey(field)),
    restore: compileRestoring(renamed, types),
    renamed,
    asked: selectedKeys(selections, renamed),
  };
}

const NO_VARIABLES: ReadonlySet<string> = new Set();

export function rootFetchStep<Context>({ call, take }: CompiledRootFetch<Context>): FetchStep<Context> {
  return (run, done) =>
    call(run, [], (answer) => {
      take(answer, run);
      done();
    });
}

/** A fetch of fields of the query type for objects below other fields. All objects get the same values. */
export function compileNestedRoot<Context>(
  fetch: Fetch,
  path: FlattenPath,
  scope: PlanScope<Context>,
): FetchStep<Context> {
  const { types } = scope;
  const { call, restore, renamed, asked } = openRootFetch(fetch, scope);
  return (run, done) => {
    const targets = path.collect(run.data, run.repeated);
    if (targets.length === 0) {
      done();
      return;
    }
    call(run, [], (response) => {
      leaveOutFailedValues(response);
      const { data, errors } = response;
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

/** An error without a path is reported at every root field that it may have set to null. */
function missingFields(rootKeys: readonly string[], renamed: readonly RenamedKey[], data: JsonObject) {
  const keys = rootKeys.map((key) => restoredPath(renamed, [key]));
  const missing = keys.filter(([key]) => data[String(key)] === undefined || data[String(key)] === null);
  return missing.length > 0 ? missing : keys;
}

/** Uses a response as the data of a run that has no other data. */
export function takeAnswer<Context>(
  rootKeys: readonly string[],
  { data, errors }: SubgraphAnswer,
  run: PlanRun<Context>,
): void {
  if (data) Object.assign(run.data, data);
  for (const error of errors) {
    if (error.path) reportError(run, error.at(error.path));
    else for (const path of missingFields(rootKeys, [], run.data)) reportError(run, error.at(path));
  }
}
