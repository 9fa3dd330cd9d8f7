import { join, resolve } from 'node:path';
import { type CaseResult, openHandlerCaller, readCases, runCases } from '../../handler-calls/index.ts';
import { terminalLine } from './terminal-text.ts';

export interface TestOptions {
  readonly location: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The directory with the cases. By default `action-tests` beside the metadata. */
  readonly cases: string | undefined;
  readonly record: boolean;
  /** Whether to print TAP instead of text for people. */
  readonly tap: boolean;
}

/**
 * `portico actions test`: calls handlers with recorded inputs and compares the results.
 *
 * @returns the exit code: 0 if there are cases and none failed, 1 otherwise.
 * @throws MetadataError, SettingsError, or StartError if the cases cannot be read or recorded.
 */
export async function testHandlers(
  { location, environment, cases: directory, record, tap }: TestOptions,
  print: (text: string) => void,
): Promise<number> {
  const folder = directory ?? join(resolve(location), '..', 'action-tests');
  const cases = readCases(folder);
  const caller = openHandlerCaller(location, environment, new Set(cases.map(({ action }) => action)));
  try {
    if (tap) print(`TAP version 14\n1..${cases.length}`);
    let number = 0;
    const results = await runCases(cases, caller, record, (result) => {
      number += 1;
      print(tap ? tapText(result, number) : resultText(result));
    });
    const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
    const untested = caller.names.filter((name) => !cases.some(({ action }) => action === name));
    const comment = tap ? '# ' : '';
    if (untested.length > 0) print(`${comment}without cases: ${terminalLine(untested.join(', '))}`);
    print(`${comment}${count('passed')} passed, ${count('recorded')} recorded, ${count('failed')} failed`);
    if (cases.length === 0) print(`${comment}no cases in ${terminalLine(folder)}`);
    return cases.length > 0 && count('failed') === 0 ? 0 : 1;
  } finally {
    await caller.close();
  }
}

function nameOf({ case: one }: CaseResult): string {
  return terminalLine(`${one.action}/${one.name}`);
}

function resultText(result: CaseResult): string {
  const { outcome, problems, durationMs } = result;
  const problemLines = problems.map((problem) => `  ${terminalLine(problem)}`);
  return [`${outcome} ${nameOf(result)} (${Math.round(durationMs)} ms)`, ...problemLines].join('\n');
}

/** Escapes what has a meaning in TAP: a sign of a directive, and line breaks. */
function tapText(result: CaseResult, number: number): string {
  const { outcome, problems } = result;
  const sign = outcome === 'failed' ? 'not ok' : 'ok';
  const first = `${sign} ${number} - ${nameOf(result).replace(/[\\#]/g, '\\$&')}`;
  if (problems.length === 0) return first;
  const list = problems.map((problem) => `    - ${JSON.stringify(terminalLine(problem))}`);
  return [first, '  ---', '  problems:', ...list, '  ...'].join('\n');
}
