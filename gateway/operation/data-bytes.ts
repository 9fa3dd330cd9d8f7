import { type ExecutionResult, GraphQLError } from 'graphql';
import { GatewayError } from '../errors.ts';
import {
  isRelayed,
  type OperationAnswer,
  REMOTE_SCHEMA_ERROR,
  type RelayedBytes,
  wholeBytes,
} from '../sources/index.ts';

const DATA = '{"data":{'.length;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** What stands within the data's braces of `{"data":{…}}`; undefined where anything else follows the data. */
export function membersOf(bytes: Buffer): Buffer | undefined {
  let depth = 1;
  let at = DATA;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = bytes.indexOf(QUOTE, at + 1);
      while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
      if (at < 0) return undefined;
    } else if (byte === OPENING) depth += 1;
    else if (byte === CLOSING) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  const isAll = at === bytes.length - 2 && bytes[at + 1] === CLOSING;
  return isAll ? bytes.subarray(DATA, at) : undefined;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

const UNREADABLE = 'a service answered with something that is not valid JSON';

/** An answer as a result. Bytes are first read here, so that it may turn out only now that they cannot be. */
export function resultIn(answer: OperationAnswer): ExecutionResult {
  if (!isRelayed(answer)) return answer;
  try {
    return JSON.parse(wholeBytes(answer).toString('utf8'));
  } catch {
    return { data: null, errors: [new GraphQLError(UNREADABLE, { extensions: { code: REMOTE_SCHEMA_ERROR } })] };
  }
}

/**
 * The data of a response that a source sent: its bytes, or its value where more than the data is there.
 *
 * @throws GatewayError 502 where it cannot be read.
 */
export function dataIn(relayed: RelayedBytes): unknown {
  const bytes = wholeBytes(relayed);
  const members = membersOf(bytes);
  if (members) return bytes.subarray(DATA - 1, DATA + members.length + 1);
  const { data, errors } = resultIn(bytes);
  if (errors) throw new GatewayError(REMOTE_SCHEMA_ERROR, UNREADABLE);
  return data;
}
