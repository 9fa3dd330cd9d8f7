import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  GraphQLError,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isLeafType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { Cancellation, type Logger } from '../../../platform/index.ts';
import type { Session } from '../../access/session/index.ts';
import type { ActionMetadata, Metadata } from '../../metadata/index.ts';
import type { ResilientClient, UpstreamError, UpstreamRequest, UpstreamResponse } from '../../upstream/index.ts';
import { headersToStore } from '../client-headers.ts';
import type { OperationContext } from '../operation-context.ts';
import type { SourceDependencies } from '../source.ts';
import { actionSubschema } from './action-schema.ts';

import { IDEMPOTENCY_HEADER } from './async-actions.ts';
import { keptHeaders, prepareHandlers } from './prepared-handlers.ts';
import { type ActionOutcome, type ActionWebhook, callWebhook, responseProblem, VERBATIM } from './webhook/index.ts';

/** A call of a handler without a client. */
export interface HandlerTrial {
  /** The arguments, not coerced yet. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly session: Session;
  readonly clientHeaders: IncomingHttpHeaders;
}

/** What was sent to a handler and what came back. */
export interface TrialExchange {
  /** Undefined if a transform failed before the request. */
  readonly request: UpstreamRequest | undefined;
  readonly response: UpstreamResponse | undefined;
}

/** The result of a call. The handler itself is to blame for all but `value` and `refused`. */
export type TrialOutcome =
  /** The value as the gateway takes it. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** The handler responded with an error in the documented form. The client gets this error. */
  | { readonly kind: 'refused'; readonly error: GraphQLError }
  /** The gateway rejects the value because it does not fit the output type. */
  | { readonly kind: 'misfit'; readonly value: unknown; readonly problem: string }
  /** The response or a transform does not have the expected form. */
  | { readonly kind: 'unusable'; readonly problem: string }
  | { readonly kind: 'unreachable'; readonly failure: UpstreamError }
  /** The input does not fit the arguments of the action, so the gateway would not call the handler. */
  | { readonly kind: 'invalid-input'; readonly problems: readonly string[] };

/** The handler of an action, to be called as a gateway does. */
export interface ActionHandler {
  readonly action: ActionMetadata;
  readonly isAsynchronous: boolean;
  readonly url: string;
  readonly timeoutMs: number;
  readonly outputType: GraphQLOutputType;
  /** The schema of all actions that were opened. */
  readonly schema: GraphQLSchema;
  /** Calls the handler with the code of the gateway. */
  call(call: HandlerTrial): Promise<{ readonly outcome: TrialOutcome; readonly exchange: TrialExchange }>;
}

/**
 * Opens the handlers of actions for calls without a gateway.
 *
 * @param names of the actions.
 * @throws MetadataError if the actions do not fit the environment.
 */
export function openHandlers(
  metadata: Metadata,
  dependencies: SourceDependencies & { readonly log: Logger },
  names: ReadonlySet<string>,
): ReadonlyMap<string, ActionHandler> {
  const { webhooks: prepared } = prepareHandlers(metadata, { ...dependencies, showInternals: true }, (name) =>
    names.has(name),
  );
  const { asyncOutputs } = metadata.actionTypes;
  const webhooks = new Map<string, ActionWebhook>();
  const { schema } = actionSubschema(metadata.actionTypes, names, {
    answerOf: (name, operation, output) => {
      const webhook = prepared.get(name);
      // The result fields of asynchronous actions call no webhook.
      if (webhook && operation !== 'subscription' && !(asyncOutputs.has(name) && operation === 'query'))
        webhooks.set(name, { ...webhook, operation, ...output });
      return (_input, _context, done) => done({ value: null });
    },
  });
  return new Map(
    metadata.actions.actions.flatMap((action): (readonly [string, ActionHandler])[] => {
      const webhook = webhooks.get(action.name);
      const own = prepared.get(action.name);
      if (!webhook || !own) return [];
      const isAsynchronous = asyncOutputs.has(action.name);
      const kept = isAsynchronous ? keptHeaders(action, own, dependencies) : undefined;
      const handler: ActionHandler = {
        action,
        isAsynchronous,
        url: webhook.target.url,
        timeoutMs: webhook.timeoutMs,
        outputType: webhook.outputType,
        schema,
        call: (call) => {
          const coerced = coerceInput(webhook, schema, call.input);
          if ('problems' in coerced)
            return Promise.resolve({
              outcome: { kind: 'invalid-input', problems: coerced.problems },
              exchange: { request: undefined, response: undefined },
            });
          // A job sends the stored headers alone.
          const clientHeaders = isAsynchronous
            ? kept
              ? headersToStore(kept.forward, call.clientHeaders, kept.credentials)
              : {}
            : call.clientHeaders;
          return callObserved(webhook, { ...call, ...coerced, clientHeaders }, isAsynchronous, dependencies.log);
        },
      };
      return [[action.name, handler]];
    }),
  );
}

type CoercedInput = { readonly input: Record<string, unknown>; readonly query: string };

/** Coerces arguments as variables of an operation that calls the action. */
function coerceInput(
  { name, operation, outputType }: ActionWebhook,
  schema: GraphQLSchema,
  input: HandlerTrial['input'],
): CoercedInput | { readonly problems: readonly string[] } {
  const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[name];
  if (!field) throw new TypeError('an action has no field');
  const unknown = Object.keys(input).filter((key) => !field.args.some((argument) => argument.name === key));
  if (unknown.length > 0) return { problems: unknown.map((key) => `the action has no argument "${key}"`) };
  const given = field.args.filter((argument) => Object.hasOwn(input, argument.name));
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const brackets = (text: string) => (text === '' ? '' : `(${text})`);
  const query = `${operation}${brackets(declared) && ` ${brackets(declared)}`} { ${name}${brackets(passed)}${selectionOf(outputType, schema)} }`;
  const definition = parse(query, { noLocation: true }).definitions[0] as OperationDefinitionNode;
  const { coerced, errors } = getVariableValues(schema, definition.variableDefinitions ?? [], { ...input });
  if (!coerced) return { problems: (errors ?? []).map(({ message }) => message) };
  const node = definition.selectionSet.selections[0];
  if (node?.kind !== Kind.FIELD) throw new TypeError('the operation has no field');
  try {
    return { input: getArgumentValues(field, node, coerced), query };
  } catch (error) {
    return { problems: [(error as Error).message] };
  }
}

const SELECTED_DEPTH = 3;

/** Selects the leaves of a type, up to a depth. The text is only sent to the handler, as the caller's operation. */
function selectionOf(type: GraphQLOutputType, schema: GraphQLSchema, depth = SELECTED_DEPTH): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (isUnionType(named)) return ' { __typename }';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    if (isLeafType(getNamedType(field.type))) return [field.name];
    return depth > 1 ? [field.name + selectionOf(field.type, schema, depth - 1)] : [];
  });
  return ` { ${fields.length === 0 ? '__typename' : fields.join(' ')} }`;
}

function callObserved(
  webhook: ActionWebhook,
  { input, query, session, clientHeaders }: CoercedInput & Omit<HandlerTrial, 'input'>,
  isAsynchronous: boolean,
  log: Logger,
): Promise<{ readonly outcome: TrialOutcome; readonly exchange: TrialExchange }> {
  let request: UpstreamRequest | undefined;
  let response: UpstreamResponse | undefined;
  let failure: UpstreamError | undefined;
  const http: Pick<ResilientClient, 'dispatch'> = {
    dispatch: (sent, handler) => {
      request = sent;
      webhook.http.dispatch(sent, {
        onResponse: (received) => {
          response = received;
          handler.onResponse(received);
        },
        onError: (error) => {
          failure = error;
          handler.onError(error);
        },
      });
    },
  };
  const context: OperationContext = {
    session,
    requestId: randomUUID(),
    clientAddress: '127.0.0.1',
    clientHeaders,
    query,
    cancellation: new Cancellation(),
    log,
    http: { headers: {}, cookies: [] },
  };
  const job = isAsynchronous ? { headers: [IDEMPOTENCY_HEADER, randomUUID()], onAnswer: () => {} } : undefined;
  return new Promise((resolve) =>
    callWebhook(
      // With a type that accepts anything, the value is known even if it does not fit.
      { ...webhook, http, outputType: ACCEPTING, excessProblem: undefined },
      input,
      context,
      (outcome) => {
        const result = handlerOutcome(outcome, webhook, failure);
        resolve({ outcome: result, exchange: { request, response } });
      },
      { job },
    ),
  );
}

const ACCEPTING = new GraphQLScalarType({ name: 'portico_Anything' });

function handlerOutcome(
  outcome: ActionOutcome,
  { outputType, excessProblem: excess }: ActionWebhook,
  failure: UpstreamError | undefined,
): TrialOutcome {
  if ('value' in outcome) {
    const { value } = outcome;
    const problem = responseProblem(value, outputType) ?? excess?.(value);
    return problem === undefined ? { kind: 'value', value } : { kind: 'misfit', value, problem };
  }
  if (failure) return { kind: 'unreachable', failure };
  const { error } = outcome;
  if (!(error instanceof GraphQLError)) throw error;
  // Only errors of the gateway itself have internals, unless a handler returns extensions of that name.
  const { internal } = error.extensions as { internal?: { error: string } };
  if (VERBATIM in error.extensions || internal === undefined) return { kind: 'refused', error };
  return {
    kind: 'unusable',
    problem: internal.error === error.message ? error.message : `${error.message}: ${internal.error}`,
  };
}
