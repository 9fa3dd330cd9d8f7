import type { GraphQLError } from 'graphql';
import { createLogger, suggestion } from '../../../platform/index.ts';
import { openAssertions, openSealer } from '../../access/assertions/index.ts';
import {
  ADMIN_ROLE,
  createSession,
  ROLE_VARIABLE,
  type Session,
  sessionVariableProblem,
} from '../../access/session/index.ts';
import { readCallSettings } from '../../config.ts';
import { type ActionMetadata, loadMetadata } from '../../metadata/index.ts';
import {
  type ActionHandler,
  declaredPart,
  openHandlers,
  STORED_HEADERS_PURPOSE,
  type TrialExchange,
  type TrialOutcome,
} from '../../sources/index.ts';
import { openUpstreamHttp, type UpstreamError } from '../../upstream/index.ts';
import { type Misfit, misfitsOf } from './misfits.ts';

/** A call of a handler, as a developer describes it. */
export interface DescribedCall {
  readonly input: Readonly<Record<string, unknown>>;
  /** By default the first role that may call the action. */
  readonly role: string | undefined;
  readonly session: Readonly<Record<string, string>>;
  /** Headers of the caller, for actions that forward them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The verdict on a handler's response. Only `value` and `refused` are right. */
export type CallVerdict =
  /** The value without fields that the type lacks. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly error: GraphQLError }
  /** @param rejected the gateway's error if it rejects the response. Otherwise it replaces the misfits with null. */
  | { readonly kind: 'misfit'; readonly misfits: readonly Misfit[]; readonly rejected: string | undefined }
  | { readonly kind: 'unusable'; readonly problem: string }
  | { readonly kind: 'unreachable'; readonly failure: UpstreamError }
  | { readonly kind: 'not-called'; readonly problems: readonly string[] };

/** A call and its result. */
export interface CalledHandler {
  readonly handler: ActionHandler;
  readonly session: Session;
  readonly verdict: CallVerdict;
  readonly exchange: TrialExchange;
  readonly durationMs: number;
}

/** Calls the handlers of metadata as a gateway with the same settings does. */
export interface HandlerCaller {
  /** The actions in the order of the metadata. */
  readonly names: readonly string[];
  /** @returns the result, or why the gateway would not call a handler. */
  call(name: string, call: DescribedCall): Promise<CalledHandler | { readonly problem: string }>;
  close(): Promise<void>;
}

/**
 * Opens the handlers of metadata.
 *
 * @param wanted the names of the actions that are called. The others need not fit the environment.
 * @throws MetadataError or SettingsError.
 */
export function openHandlerCaller(
  location: string,
  environment: NodeJS.ProcessEnv,
  wanted: ReadonlySet<string>,
): HandlerCaller {
  const { assertionSettings, maxResponseBytes, ...settings } = readCallSettings(environment);
  // Asynchronous actions are called directly, so they need no database here.
  const metadata = loadMetadata(location, { ...settings, hasJobsDatabase: true });
  const names = metadata.actions.actions.map(({ name }) => name);
  const http = openUpstreamHttp({ maxResponseBytes });
  const dependencies = {
    ...settings,
    environment,
    http,
    hasJobsDatabase: true,
    assertions: openAssertions(assertionSettings),
    headerSealer: openSealer(assertionSettings, STORED_HEADERS_PURPOSE),
    log: createLogger('portico', 'silent'),
  };
  const handlers = openHandlers(metadata, dependencies, wanted);
  return {
    names,
    call: async (name, call) => {
      const problem = formProblem(metadata.actions.actions.find((action) => action.name === name));
      if (problem !== undefined) return { problem };
      const handler = handlers.get(name);
      if (!handler) return { problem: unknownAction(name, names) };
      const session = sessionOf(handler, call);
      if ('problem' in session) return session;
      return callHandler(handler, session, call);
    },
    close: () => http.close(),
  };
}

/** Returns why an action's handler cannot be called by itself. */
function formProblem(action: ActionMetadata | undefined): string | undefined {
  if (!action) return undefined;
  const { name, definition } = action;
  if (typeof definition.handler !== 'string')
    return `the handler of "${name}" runs saved operations of the graph: call the action over a gateway`;
  if (definition.kind === 'subscription')
    return `"${name}" is a subscription, whose handler responds with a stream: subscribe over a gateway`;
  if (definition.field?.batch)
    return `the handler of "${name}" gets many objects in one call: select the field over a gateway`;
  return undefined;
}

function unknownAction(name: string, names: readonly string[]): string {
  return `there is no action "${name}"${suggestion(name, names) || `: expected one of ${names.join(', ') || 'none'}`}`;
}

function sessionOf({ action }: ActionHandler, { role: wanted, session }: DescribedCall): Session | { problem: string } {
  const variables = new Map<string, string>();
  for (const [given, value] of Object.entries(session)) {
    const name = given.toLowerCase();
    if (!name.startsWith('x-hasura-')) return { problem: `"${given}" is not a session variable: expected x-hasura-…` };
    const problem = sessionVariableProblem(name, value);
    if (problem !== undefined) return { problem: `the session variable "${given}" cannot be sent: ${problem}` };
    variables.set(name, value);
  }
  const permitted = action.permissions.map((permission) => permission.role);
  const role = wanted ?? variables.get(ROLE_VARIABLE) ?? permitted[0] ?? ADMIN_ROLE;
  if (role !== ADMIN_ROLE && !permitted.includes(role))
    return {
      problem: `the role "${role}" may not call the action "${action.name}": its permissions name ${permitted.join(', ') || 'no role'}`,
    };
  return createSession(role, Object.fromEntries(variables));
}

const KEEP_ALIVE_MS = 60_000;

async function callHandler(
  handler: ActionHandler,
  session: Session,
  { input, headers }: DescribedCall,
): Promise<CalledHandler> {
  const clientHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  // The timers of a gateway's calls do not keep a process alive, which would end before the call does.
  const alive = setInterval(() => {}, KEEP_ALIVE_MS);
  const begin = performance.now();
  const { outcome, exchange } = await handler
    .call({ input, session, clientHeaders })
    .finally(() => clearInterval(alive));
  const durationMs = performance.now() - begin;
  return { handler, session, verdict: verdictOf(handler, outcome), exchange, durationMs };
}

function verdictOf({ outputType, schema }: ActionHandler, outcome: TrialOutcome): CallVerdict {
  switch (outcome.kind) {
    case 'value': {
      const misfits = misfitsOf(outcome.value, outputType, schema);
      if (misfits.length > 0) return { kind: 'misfit', misfits, rejected: undefined };
      return { kind: 'value', value: declaredPart(outcome.value, outputType) };
    }
    case 'misfit':
      return { kind: 'misfit', misfits: misfitsOf(outcome.value, outputType, schema), rejected: outcome.problem };
    case 'invalid-input':
      return { kind: 'not-called', problems: outcome.problems };
    default:
      return outcome;
  }
}
