import { parseServiceJson } from '../../../../platform/index.ts';
import { isRelayedPath, MAX_RELAYED_ERRORS, relayedExtensions, relayedMessage } from '../../../errors.ts';
import { SubgraphFailure, subgraphExtensions } from '../errors.ts';
import { isList, isObject, type Json, narrowText, type ReplyBytes, replyText } from '../json.ts';
import { reusingMemory } from '../sharing/index.ts';
import { type FetchText, fetchText } from './request-text.ts';
import type { PlanRun, Send } from './run.ts';
import { JsonText, type OwnVariable, type Services, type SubgraphAnswer, type SubgraphError } from './services.ts';

/** A request to a subgraph. All text that never changes is prepared. */
export interface SubgraphRequest {
  readonly service: string;
  /** The body with the client's variables that this fetch uses and with other variables. */
  body(variables: Readonly<Record<string, unknown>>, own?: readonly OwnVariable[]): string;
  /** The response keys of its root fields. */
  readonly rootKeys: readonly string[];
  readonly kind: 'query' | 'mutation';
}

export function prepareRequest(fetch: FetchText): SubgraphRequest {
  const name = fetch.operationName === undefined ? '' : `,"operationName":${JSON.stringify(fetch.operationName)}`;
  const start = narrowText(`{"query":${JSON.stringify(fetch.operation)}${name}`);
  const variables = (fetch.variableUsages ?? []).map((name) => ({ name, prefix: `${JSON.stringify(name)}:` }));
  return {
    service: fetch.serviceName,
    kind: fetch.operationKind === 'mutation' ? 'mutation' : 'query',
    body: (given, own) => {
      let members = '';
      for (const { variable, value } of own ?? []) {
        const text = value instanceof JsonText ? value.text : JSON.stringify(value);
        members += `${members && ','}"${variable}":${text}`;
      }
      for (const { name, prefix } of variables) {
        const value = Object.hasOwn(given, name) ? given[name] : undefined;
        if (value !== undefined) members += `${members && ','}${prefix}${JSON.stringify(value)}`;
      }
      return members ? `${start},"variables":{${members}}}` : `${start}}`;
    },
    rootKeys: fetch.rootKeys,
  };
}

/** Creates services that exchange texts. */
export function subgraphServices<Context>(send: Send<Context>): Services<Context> {
  const join = reusingMemory();
  return {
    compile: (service, operation, ownVariables, { fragments, read } = {}) => {
      const readAtOnce = read && ((reply: ReplyBytes) => read(reply, join));
      const request = prepareRequest(fetchText(operation, service, ownVariables, fragments));
      return (run, own, done) => {
        send(service, request.body(run.variables, own), run.context, request, (reply) => {
          try {
            done(reply instanceof Error ? unanswered(service, reply) : readReply(service, reply, run, readAtOnce));
          } catch (error) {
            run.fail(error);
          }
        });
      };
    },
    readEvent: (service, event, run) => readAnswer(service, event as Json, run),
  };
}

function unanswered(service: string, error: Error): SubgraphAnswer {
  if (error instanceof SubgraphFailure) return failure(service, error.message, error.extensions);
  return failure(service, `the service "${service}" did not respond`);
}

/** Reads a response. */
export function readReply<Context>(
  service: string,
  reply: string | ReplyBytes,
  run: PlanRun<Context>,
  read?: (reply: ReplyBytes) => Json | undefined,
): SubgraphAnswer {
  let answer: Json;
  try {
    answer = (typeof reply === 'string' ? undefined : read?.(reply)) ?? (parseServiceJson(replyText(reply)) as Json);
  } catch (error) {
    if (error instanceof RangeError)
      return failure(service, `the service "${service}" returned a response that is too large`);
    return failure(service, `the service "${service}" returned a response that is not JSON`);
  }
  return readAnswer(service, answer, run);
}

/** Reads a response that has already been parsed, such as an event of a subscription. */
function readAnswer<Context>(service: string, answer: Json | undefined, run: PlanRun<Context>): SubgraphAnswer {
  if (!isObject(answer) || (!isObject(answer.data) && !isList(answer.errors))) {
    return failure(service, `the service "${service}" returned a response that is not a GraphQL response`);
  }
  if (isObject(answer.extensions)) run.extensions.push({ service, extensions: answer.extensions });
  return {
    data: isObject(answer.data) ? answer.data : undefined,
    // One error more than the limit is read, to detect that there are too many.
    errors: isList(answer.errors)
      ? answer.errors.slice(0, MAX_RELAYED_ERRORS + 1).map((error) => readSubgraphError(service, error))
      : [],
  };
}

/** The result of a fetch without a response. */
export function failure(
  service: string,
  message: string,
  extensions?: Readonly<Record<string, unknown>>,
): SubgraphAnswer {
  const error = { message, extensions: subgraphExtensions(service, extensions) };
  return {
    data: undefined,
    errors: [{ path: undefined, at: (path) => (path ? { message, path, extensions: error.extensions } : error) }],
  };
}

/** The error of an object for which a service returned an unsuitable value. */
export function unfitAnswer(service: string): SubgraphError {
  const message = `the service "${service}" did not return one object for each that it was asked for`;
  const extensions = subgraphExtensions(service, undefined);
  return { path: undefined, at: (path) => (path ? { message, path, extensions } : { message, extensions }) };
}

function readSubgraphError(service: string, error: Json): SubgraphError {
  const given = isObject(error) ? error : {};
  const message =
    typeof given.message === 'string' ? relayedMessage(given.message) : `the service "${service}" reported an error`;
  const extensions = relayedExtensions(
    subgraphExtensions(service, isObject(given.extensions) ? given.extensions : undefined),
  );
  const path =
    isList(given.path) && given.path.every(isPathSegment) && isRelayedPath(given.path) ? given.path : undefined;
  return { path, at: (place) => (place ? { message, path: place, extensions } : { message, extensions }) };
}

function isPathSegment(value: Json): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
