import { type DocumentNode, Kind } from 'graphql';
import type { Variables } from '../../graphql/syntax/index.ts';
import { copy, type JsonObject, JsonText, type Services, type SubgraphAnswer } from '../../planning/joins/index.ts';
import { type OperationAnswer, type OperationContext, resultOfAnswer, type Subschema } from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';

/**
 * Makes the sources of a role's graph available as services to the planner. Each source runs the operations that it
 * compiles.
 */
export function joinedServices(subschemas: readonly Subschema[]): Services<OperationContext> {
  const partOf = (service: string): Subschema => {
    const found = subschemas.find(({ source }) => source === service);
    if (!found) throw new TypeError('a service that the graph does not have');
    return found;
  };
  return {
    compile: (service, operation, _own, { fragments = [] } = {}) => {
      const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
      const compiled = partOf(service).compile?.({ document, operation });
      if (!compiled) throw new TypeError('an operation that its source cannot run');
      return (run, own, done) =>
        compiled.run(own.length === 0 ? run.variables : withOwn(run.variables, own), run.context, (answer) => {
          try {
            done(readAnswer(service, answer));
          } catch (error) {
            run.fail(error);
          }
        });
    },
    readEvent: (service, event) => readAnswer(service, event as OperationAnswer),
    takesMutations: (service) => partOf(service).customized?.namespace === undefined,
    isUnneeded: ({ cancellation }) => cancellation.isCancelled,
    beginJoin: (context) => context.beginJoin?.(),
  };
}

function withOwn(
  variables: Variables,
  own: readonly { readonly variable: string; readonly value: unknown }[],
): Variables {
  // The object has no prototype because a variable may be named `__proto__`.
  const all: Record<string, unknown> = Object.assign(Object.create(null), variables);
  for (const { variable, value } of own) all[variable] = value instanceof JsonText ? JSON.parse(value.text) : value;
  return all;
}

/** Reads a source's result. Its errors are already meant for the client. */
export function readAnswer(service: string, answer: OperationAnswer): SubgraphAnswer {
  const { data, errors = [] } = resultOfAnswer(answer, service);
  const isOwn = answer instanceof PassthroughBody;
  return {
    // Data that is shared with other requests must not be modified by joining.
    data: data ? (isOwn ? (data as JsonObject) : copy(data as JsonObject)) : undefined,
    errors: errors.map(({ message, path, extensions, originalError }) => ({
      path,
      at: (place) => ({
        message,
        extensions,
        ...(place && { path: place }),
        ...(originalError && { cause: originalError }),
      }),
    })),
  };
}
