import { parseServiceJson } from '../../../platform/index.ts';
import { isRelayedPath, MAX_RELAYED_ERRORS, relayedExtensions, relayedMessage } from '../../errors.ts';
import { type JoinError, SubgraphFailure, subgraphExtensions } from '../errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import { type ReplyBytes, replyText } from './reply-bytes.ts';
import type { PlanRun } from './run.ts';

/** The parts of a fetch that make up its request. */
export interface FetchText {
  readonly serviceName: string;
  readonly operation: string;
  readonly operationName?: string;
  readonly operationKind?: 'query' | 'mutation' | 'subscription';
  readonly variableUsages?: readonly string[];
  /** The response keys of its root fields. */
  readonly rootKeys: readonly string[];
}

/** Representations of entities by the variable that takes them, as JSON texts. */
export type Representations = readonly { readonly variable: string; readonly texts: readonly string[] }[];

/** A request to a subgraph with all text that is the same every time prepared. */
export interface SubgraphRequest {
  readonly service: string;
  /** The body with the client's variables that this fetch uses, and with the representations. */
  body(variables: Readonly<Record<string, unknown>>, representations?: Representations): string;
  /** The response keys of its root fields. */
  readonly rootKeys: readonly string[];
  readonly kind: 'query' | 'mutation';
}

export function prepareRequest(fetch: FetchText): SubgraphRequest {
  const name = fetch.operationName === undefined ? '' : `,"operationName":${JSON.stringify(fetch.operationName)}`;
  const start = `{"query":${JSON.stringify(fetch.operation)}${name}`;
  const variables = (fetch.variableUsages ?? []).map((name) => ({ name, prefix: `${JSON.stringify(name)}:` }));
  return {
    service: fetch.serviceName,
    kind: fetch.operationKind === 'mutation' ? 'mutation' : 'query',
    body: (given, representations) => {
      let members = '';
      for (const { variable, texts } of representations ?? []) {
        members += `${members && ','}"${variable}":[${texts.join(',')}]`;
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

/** A subgraph's parsed response. */
export interface SubgraphAnswer {
  readonly data: JsonObject | undefined;
  readonly errors: readonly SubgraphError[];
}

export interface SubgraphError {
  readonly path: readonly (string | number)[] | undefined;
  /** The error as a client may see it, once its path is known. */
  at(path: readonly (string | number)[] | undefined): JoinError;
}

/**
 * Sends a request to a subgraph and passes its response to `done`. A failed call is a response without data, with one error
 * that has no path.
 */
export function requestSubgraph<Context>(
  request: SubgraphRequest,
  run: PlanRun<Context>,
  representations: Representations | undefined,
  done: (answer: SubgraphAnswer) => void,
): void {
  const { service } = request;
  const body = request.body(run.variables, representations);
  run.send(service, body, run.context, request, (reply) => {
    try {
      done(reply instanceof Error ? unanswered(service, reply) : readReply(service, reply, run));
    } catch (error) {
      run.fail(error);
    }
  });
}

function unanswered(service: string, error: Error): SubgraphAnswer {
  if (error instanceof SubgraphFailure) return failure(service, error.message, error.extensions);
  return failure(service, `the service "${service}" did not answer`);
}

/** Reads a response. */
export function readReply<Context>(service: string, reply: string | ReplyBytes, run: PlanRun<Context>): SubgraphAnswer {
  let answer: Json;
  try {
    answer = parseServiceJson(replyText(reply)) as Json;
  } catch (error) {
    if (error instanceof RangeError)
      return failure(service, `the service "${service}" gave an answer that is too large`);
    return failure(service, `the service "${service}" gave an answer that is not JSON`);
  }
  return readAnswer(service, answer, run);
}

/** Reads a response that has been parsed already, such as an event of a subscription. */
export function readAnswer<Context>(service: string, answer: Json | undefined, run: PlanRun<Context>): SubgraphAnswer {
  if (!isObject(answer) || (!isObject(answer.data) && !isList(answer.errors))) {
    return failure(service, `the service "${service}" gave an answer that is no GraphQL response`);
  }
  if (isObject(answer.extensions)) run.extensions.push({ service, extensions: answer.extensions });
  return {
    data: isObject(answer.data) ? answer.data : undefined,
    // One more than is relayed, so that it shows where there are too many.
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
