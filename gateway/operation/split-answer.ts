import type { ExecutionResult } from 'graphql';
import { isRelayed, type OperationAnswer, wholeBytes } from '../sources/index.ts';
import { membersOf, resultIn } from './data-bytes.ts';

const QUOTE = '"';
const COMMA = Buffer.from(',');
const BEFORE = Buffer.from('{"data":{');
const AFTER = Buffer.from('}}');

/**
 * Puts the answers to parts of an operation together.
 *
 * @param order the response keys in their order; undefined where the answers are in order as they are.
 */
export function joinedAnswer(
  answers: readonly OperationAnswer[],
  order: readonly string[] | undefined,
): OperationAnswer {
  return (order ? undefined : joinedBytes(answers)) ?? joinedResult(answers, order);
}

/** Nothing is parsed where all answers are bytes that hold data alone. */
function joinedBytes(answers: readonly OperationAnswer[]): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (const answer of answers) {
    const members = isRelayed(answer) ? membersOf(wholeBytes(answer)) : undefined;
    if (!members) return undefined;
    if (!isBlank(members)) pieces.push(pieces.length === 0 ? BEFORE : COMMA, members);
  }
  return pieces.length === 0 ? undefined : Buffer.concat([...pieces, AFTER]);
}

/** Whether there are no members: each would have a name. */
function isBlank(members: Buffer): boolean {
  return !members.includes(QUOTE);
}

function joinedResult(answers: readonly OperationAnswer[], order: readonly string[] | undefined): ExecutionResult {
  const results = answers.map(resultIn);
  const errors = results.flatMap((result) => result.errors ?? []);
  const told = errors.length > 0 && { errors };
  if (results.some(({ data }) => !data)) return { data: null, ...told };
  const members = new Map(results.flatMap(({ data }) => Object.entries(data ?? {})));
  const keys = order ?? [...members.keys()];
  return {
    data: Object.fromEntries(keys.filter((key) => members.has(key)).map((key) => [key, members.get(key)])),
    ...told,
  };
}
