import { basename, dirname } from 'node:path';
import type { GraphQLError } from 'graphql';
import { StartError, unwritableReason, writeFilesTogether } from '../../../platform/index.ts';
import { ROLE_VARIABLE } from '../../access/session/index.ts';
import { type CaseExpectation, type HandlerCase, withExpectation } from './cases.ts';
import type { CalledHandler, CallVerdict, HandlerCaller } from './handler-caller.ts';
import { type Difference, differencesBetween } from './matchers.ts';
import { describeVerdict } from './verdict-text.ts';

/** The result of a case. */
export interface CaseResult {
  readonly case: HandlerCase;
  readonly outcome: 'passed' | 'failed' | 'recorded';
  /** Why the case failed, one line for each problem. They may quote the handler. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/**
 * Calls the handlers of cases one after another and compares the results with what the cases expect.
 *
 * @param record whether to write the results of cases that expect nothing yet into their files.
 * @param onResult called with each result.
 * @throws StartError if a file cannot be written.
 */
export async function runCases(
  cases: readonly HandlerCase[],
  caller: HandlerCaller,
  record: boolean,
  onResult: (result: CaseResult) => void,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    const result = await runCase(one, caller, record);
    results.push(result);
    onResult(result);
  }
  return results;
}

async function runCase(one: HandlerCase, caller: HandlerCaller, record: boolean): Promise<CaseResult> {
  const failed = (problems: readonly string[], durationMs = 0): CaseResult => ({
    case: one,
    outcome: 'failed',
    problems,
    durationMs,
  });
  const { content } = one;
  if (!content) return failed(one.problems);
  const called = await caller.call(one.action, { ...content, role: content.role ?? content.session[ROLE_VARIABLE] });
  if ('problem' in called) return failed([called.problem]);
  const { verdict, durationMs } = called;
  if (verdict.kind !== 'value' && verdict.kind !== 'refused') return failed(describeVerdict(called), durationMs);
  if (content.expected === undefined) {
    if (!record) return failed(['the case expects nothing: --record writes what the handler returns'], durationMs);
    recordResult(one, verdict);
    return { case: one, outcome: 'recorded', problems: [], durationMs };
  }
  const problems = unexpectedParts(content.expected, called);
  return problems.length > 0 ? failed(problems, durationMs) : { case: one, outcome: 'passed', problems, durationMs };
}

function unexpectedParts(expected: CaseExpectation, called: CalledHandler): readonly string[] {
  const { verdict } = called;
  if ('error' in expected) {
    if (verdict.kind !== 'refused') return ['expected an error, and the handler returned a value'];
    const actual = errorMembers(verdict.error);
    // Only the members that the case names are compared.
    const found = Object.keys(expected.error).flatMap((key) => {
      const value = Object.hasOwn(actual, key) ? actual[key] : undefined;
      return differencesBetween(expected.error[key], value).map((one) => ({ ...one, path: joined(key, one.path) }));
    });
    return found.map(differenceText);
  }
  if (verdict.kind !== 'value') return ['expected a value', ...describeVerdict(called)];
  return differencesBetween(expected.response, verdict.value).map(differenceText);
}

function joined(key: string, path: string): string {
  return path === '' || path.startsWith('[') ? key + path : `${key}.${path}`;
}

function differenceText({ path, problem }: Difference): string {
  return path === '' ? problem : `${path}: ${problem}`;
}

/** Returns the parts of an error that the client gets. */
function errorMembers({ message, extensions }: GraphQLError): Readonly<Record<string, unknown>> {
  return { message, code: extensions.code, extensions };
}

/** Writes what a handler returned into the file of its case. */
function recordResult(one: HandlerCase, verdict: CallVerdict & { readonly kind: 'value' | 'refused' }): void {
  const expected: CaseExpectation =
    verdict.kind === 'value' ? { response: verdict.value } : { error: recordedError(verdict.error) };
  const directory = dirname(one.file);
  try {
    writeFilesTogether(directory, new Map([[basename(one.file), withExpectation(one, expected)]]));
  } catch (error) {
    throw new StartError(`--record: ${unwritableReason(directory, error)}`);
  }
}

function recordedError({ message, extensions }: GraphQLError): Readonly<Record<string, unknown>> {
  const { path: _, code, ...others } = extensions;
  return { message, ...(code !== undefined && { code }), ...(Object.keys(others).length > 0 && { extensions }) };
}
