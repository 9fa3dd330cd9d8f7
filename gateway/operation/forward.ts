import type { ExecutionResult } from 'graphql';
import type { Call, ForwardedAnswer } from '../sources/index.ts';
import type { Plan } from './plan.ts';

/** Runs a `forward` plan: the prepared text with the client's variables, those that the operation declares. */
export function runForward(
  plan: Plan & { kind: 'forward' },
  variables: Readonly<Record<string, unknown>>,
  call: Call,
): Promise<ForwardedAnswer> {
  const given: Record<string, unknown> = {};
  for (const name of plan.variableNames) if (Object.hasOwn(variables, name)) given[name] = variables[name];
  const hasVariables = plan.variableNames.length > 0;
  const body = `{${plan.prepared}${hasVariables ? `,"variables":${JSON.stringify(given)}` : ''}}`;
  return plan.forward(body, call);
}

/** The result of a forwarded operation, for those who cannot relay bytes. */
export function resultOf(answer: ForwardedAnswer): ExecutionResult {
  return 'result' in answer ? answer.result : (JSON.parse(answer.bytes.toString('utf8')) as ExecutionResult);
}

/** Whether the source failed the operation as a whole, rather than a field of it: no data, and errors of no place. */
export function isFailure({ data, errors = [] }: ExecutionResult): boolean {
  return !data && errors.every((error) => error.path === undefined);
}
