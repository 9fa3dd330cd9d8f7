import { Cancellation, isJsonObject } from '../../../platform/index.ts';
import { createSession, type Session } from '../../access/session/index.ts';
import type { HandlerOperation, OperationHandler, OperationStep } from '../../metadata/index.ts';
import { KritiEvaluationError, type Template } from '../../webhooks/kriti/index.ts';
import { labelOf } from '../handler-counts.ts';
import type { OperationContext } from '../operation-context.ts';
import type { HandlerDependencies, SavedOperationResult } from '../saved-operation.ts';
import {
  type CompensationOutcome,
  HandlerFailure,
  handlerAborted,
  handlersTooDeep,
  handlersUnavailable,
  handlerTooLate,
  operationFailed,
  templateFailed,
  unexpectedFailure,
} from './handler-failure.ts';

/** The request or job that a handler works for. */
export interface HandlerCall extends Pick<OperationContext, 'requestId' | 'clientAddress' | 'clientHeaders' | 'log'> {
  /** The value of `$body`. */
  readonly body: unknown;
  /** The caller, or the session that the metadata describes. */
  readonly session: Session;
  /** The value of `$idempotency_key`. It is the same for each attempt of a job. */
  readonly idempotencyKey: string;
  readonly timeoutMs: number;
  /** Cancelled if the client disconnects, or the job is taken away. */
  readonly cancellation: Cancellation;
  /**
   * Whether an aborted run is repeated from its start. Such a run is not compensated, since the repetition may already
   * be in progress.
   */
  readonly isRepeated: boolean;
  /** How many handlers the call is nested in. */
  readonly depth: number;
  readonly span: OperationContext['span'];
  /** Checks the output. @throws HandlerFailure if it cannot be used. */
  readonly checkOutput?: ((value: unknown) => void) | undefined;
}

export type HandlerOutcome = { readonly value: unknown } | { readonly failure: HandlerFailure };

/**
 * Runs a handler: its steps in order, and after a failure the compensations of its completed mutations. Never throws a
 * failure.
 *
 * @returns the value of the `response` template, or the result of the last step.
 */
export async function runHandler(
  handler: OperationHandler,
  call: HandlerCall,
  dependencies: HandlerDependencies | undefined,
): Promise<HandlerOutcome> {
  const outcome = await outcomeOf(handler, call, dependencies);
  dependencies?.counts.ran(handler, 'value' in outcome);
  if ('failure' in outcome) logFailure(handler, outcome.failure, call);
  return outcome;
}

async function outcomeOf(
  handler: OperationHandler,
  call: HandlerCall,
  dependencies: HandlerDependencies | undefined,
): Promise<HandlerOutcome> {
  if (!dependencies) return { failure: handlersUnavailable() };
  if (call.depth >= dependencies.maxDepth) return { failure: handlersTooDeep(dependencies.maxDepth) };
  return new HandlerRun(handler, call, dependencies).run();
}

/** Failures that the caller or a service causes are not logged here: clients control how often they happen. */
function logFailure(handler: OperationHandler, failure: HandlerFailure, { log }: HandlerCall): void {
  const { kind: cause, code, step, detail } = failure;
  if (cause === 'operation' || cause === 'fail' || cause === 'aborted') return;
  const kind = labelOf(handler);
  log.warn({ event: 'handler.failed', kind, handler: handler.name, step, code, reason: detail }, 'handler failed');
}

/** One run of a handler. */
class HandlerRun {
  readonly #handler: OperationHandler;
  readonly #call: HandlerCall;
  readonly #dependencies: HandlerDependencies;
  readonly #results: Record<string, unknown> = {};
  readonly #sessions = new Map<string, Session>();
  /** The completed mutations, in order. */
  readonly #completed: OperationStep[] = [];
  /** Cancelled if the run takes too long. */
  #late = new Cancellation();

  constructor(handler: OperationHandler, call: HandlerCall, dependencies: HandlerDependencies) {
    this.#handler = handler;
    this.#call = call;
    this.#dependencies = dependencies;
  }

  async run(): Promise<HandlerOutcome> {
    try {
      return { value: await this.#inTime(() => this.#runSteps()) };
    } catch (error) {
      // Completed mutations are undone after unexpected errors too.
      const failure = error instanceof HandlerFailure ? error : unexpectedFailure(error);
      failure.compensation = await this.#compensate(failure);
      return { failure };
    }
  }

  async #inTime<T>(work: () => Promise<T>): Promise<T> {
    this.#late = new Cancellation();
    const timer = setTimeout(() => this.#late.cancel(), this.#call.timeoutMs).unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  async #runSteps(): Promise<unknown> {
    const { steps, response } = this.#handler;
    let last: unknown = null;
    for (const step of steps) {
      this.#throwIfStopped();
      if ('fail' in step) {
        const { if: condition, message, code } = step.fail;
        if (this.#isTrue(condition, undefined)) throw new HandlerFailure('fail', code, message, { status: 400 });
        continue;
      }
      const isRun = step.when === undefined || this.#isTrue(step.when, step.name);
      last = isRun ? await this.#runStep(step) : null;
      this.#results[step.name] = last;
    }
    const value = response ? this.#evaluate(response, 'response') : last;
    this.#call.checkOutput?.(value);
    return value;
  }

  async #runStep(step: OperationStep): Promise<unknown> {
    const result = await this.#execute(step, step.name, false);
    const value = resultOf(step, result);
    if (step.saved.operation.operation === 'mutation' && (result.errors.length === 0 || value !== null)) {
      // A mutation with a result took effect, even if a field of the result has an error.
      this.#results[step.name] = value;
      this.#completed.push(step);
    }
    if (result.errors.length > 0) {
      this.#throwIfStopped();
      throw operationFailed(step.name, result);
    }
    return value;
  }

  #throwIfStopped(): void {
    if (this.#late.isCancelled) throw handlerTooLate();
    if (this.#call.cancellation.isCancelled) throw handlerAborted();
  }

  /**
   * Runs an operation. A client that disconnects cancels queries. A mutation continues, so that it is known whether it
   * took effect and has to be compensated.
   */
  async #execute(operation: HandlerOperation, step: string, isCompensation: boolean): Promise<SavedOperationResult> {
    const { variables, saved, role } = operation;
    const given = variables ? this.#evaluate(variables, step) : {};
    if (!isJsonObject(given)) throw templateFailed(step, 'the template of the variables produced no object');
    const { operation: definition, query } = saved;
    const { cancellation: ofCaller, isRepeated, depth, span: parent } = this.#call;
    const endsWithCaller = !isCompensation && (definition.operation === 'query' || isRepeated);
    const cancellation = new Cancellation(true);
    const span = parent?.isRecording ? parent.startChild(isCompensation ? 'compensate step' : 'run step') : undefined;
    span?.setAttribute('portico.handler', this.#handler.name);
    span?.setAttribute('portico.handler.step', step);
    this.#late.add(cancellation);
    if (endsWithCaller) ofCaller.add(cancellation);
    // Memory for the result stays reserved until the response has been sent.
    const isHeld = ofCaller.whenOver(() => cancellation.end());
    const result = await new Promise<SavedOperationResult>((resolve) =>
      this.#dependencies.run(
        {
          query,
          operationName: definition.name?.value,
          variables: given,
          session: this.#sessionOf(role),
          origin: this.#call,
          cancellation,
          span: span ?? parent,
          depth: depth + 1,
        },
        resolve,
      ),
    );
    if (!isHeld) cancellation.end();
    ofCaller.delete(cancellation);
    this.#late.delete(cancellation);
    if (result.errors.length > 0) span?.fail(operationFailed(step, result).code);
    span?.end();
    return result;
  }

  /** The caller's session, or one of another role with the caller's claims. */
  #sessionOf(role: string | undefined): Session {
    const { session } = this.#call;
    if (role === undefined) return session;
    const known = this.#sessions.get(role) ?? createSession(role, session.variables, { scopes: session.scopes });
    this.#sessions.set(role, known);
    return known;
  }

  /** Undoes the completed mutations, the last one first. A failed compensation does not keep the others from running. */
  async #compensate(cause: HandlerFailure): Promise<CompensationOutcome | undefined> {
    const steps = this.#completed.filter(({ compensation }) => compensation !== undefined).reverse();
    if (steps.length === 0 || (cause.kind === 'aborted' && this.#call.isRepeated)) return undefined;
    const done: string[] = [];
    const failed: string[] = [];
    const { name } = this.#handler;
    const kind = labelOf(this.#handler);
    const { log, span } = this.#call;
    await this.#inTime(async () => {
      for (const step of steps) {
        const outcome = await this.#compensateStep(step);
        if (outcome === 'skipped') continue;
        const isDone = outcome === 'done';
        (isDone ? done : failed).push(step.name);
        this.#dependencies.counts.compensated(this.#handler, isDone);
        span?.addEvent('portico.compensation', { step: step.name, outcome: isDone ? 'done' : 'failed' });
        if (!isDone)
          log.error(
            { event: 'handler.compensation_failed', kind, handler: name, step: step.name, code: outcome.code },
            'a compensation failed, so the effect of its step remains',
          );
      }
    });
    if (done.length > 0)
      log.warn(
        { event: 'handler.compensated', kind, handler: name, step: cause.step, steps: done },
        'steps were undone',
      );
    if (done.length + failed.length === 0) return undefined;
    return failed.length > 0 ? 'failed' : 'done';
  }

  async #compensateStep({
    name,
    compensation,
  }: OperationStep): Promise<'done' | 'skipped' | { readonly code: string }> {
    if (!compensation) return 'skipped';
    try {
      if (compensation.when && !this.#isTrue(compensation.when, name)) return 'skipped';
      if (this.#late.isCancelled) throw handlerTooLate();
      const result = await this.#execute(compensation, name, true);
      return result.errors.length > 0 ? { code: operationFailed(name, result).code } : 'done';
    } catch (error) {
      return { code: error instanceof HandlerFailure ? error.code : 'unexpected' };
    }
  }

  #isTrue(condition: Template, step: string | undefined): boolean {
    const value = this.#evaluate(condition, step);
    if (typeof value !== 'boolean') throw templateFailed(step, 'the template of the condition produced no boolean');
    return value;
  }

  #evaluate(template: Template, step: string | undefined): unknown {
    const { body, session, idempotencyKey } = this.#call;
    const variables = {
      $body: body,
      $session_variables: session.variables,
      $idempotency_key: idempotencyKey,
      $steps: this.#results,
    };
    return evaluated(template, { variables, sessionVariables: session.variables }, step);
  }
}

/**
 * Evaluates a template of a handler.
 *
 * @param part the step or the key with the template.
 * @throws HandlerFailure if the template does not fit the values.
 */
export function evaluated(
  template: Template,
  scope: Parameters<Template['evaluate']>[0],
  part: string | undefined,
): unknown {
  try {
    return template.evaluate(scope);
  } catch (error) {
    if (!(error instanceof KritiEvaluationError)) throw error;
    throw templateFailed(part, `line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

/** The value of an operation's single root field, or all of its data. */
function resultOf({ resultKey }: HandlerOperation, { data }: SavedOperationResult): unknown {
  if (data === null) return null;
  return resultKey === undefined ? data : (data[resultKey] ?? null);
}
