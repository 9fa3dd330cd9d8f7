import type { ExecutionResult } from 'graphql';
import { BACKSLASH, CLOSING_BRACE, COLON, OPENING_BRACE, QUOTE, WHITE_SPACE } from '../../../platform/index.ts';
import type { OperationAnswer } from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { inDocument, unreadableResponse } from '../errors.ts';

const DATA_START = '{"data":{'.length;

/**
 * The bytes within the braces of the data in `{"data":{…}}`. Undefined if other members follow the data or the data
 * contains keys that are not in `keys`.
 */
export function dataMembers(bytes: Buffer, keys?: ReadonlySet<string>): Buffer | undefined {
  let depth = 1;
  let at = DATA_START;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const start = at + 1;
      at = bytes.indexOf(QUOTE, start);
      while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
      if (at < 0) return undefined;
      // An escaped name does not match a key, so the data has to be parsed.
      const isName = depth === 1 && keys !== undefined && isBeforeColon(bytes, at);
      if (isName && !keys.has(bytes.toString('utf8', start, at))) return undefined;
    } else if (byte === OPENING_BRACE) depth += 1;
    else if (byte === CLOSING_BRACE) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  const isAll = at === bytes.length - 2 && bytes[at + 1] === CLOSING_BRACE;
  return isAll ? bytes.subarray(DATA_START, at) : undefined;
}

/** Whether the string that ends at a position is the name of a member. */
function isBeforeColon(bytes: Buffer, at: number): boolean {
  let next = at + 1;
  while (WHITE_SPACE.has(bytes[next] ?? 0)) next += 1;
  return bytes[next] === COLON;
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Converts a source's result. Bytes are parsed only now; invalid JSON becomes an error. */
export function resultIn(answer: OperationAnswer): ExecutionResult {
  if (!(answer instanceof PassthroughBody)) return answer;
  try {
    return answer.toJson() as ExecutionResult;
  } catch {
    return { data: null, errors: [inDocument(unreadableResponse())] };
  }
}

/**
 * The data of a response that a source sent: its bytes, or its parsed value if the response contains more than data.
 *
 * @throws GatewayError 502 if the response cannot be read.
 */
export function dataIn(body: PassthroughBody): unknown {
  const bytes = body.toBuffer();
  const members = dataMembers(bytes);
  if (members) return bytes.subarray(DATA_START - 1, DATA_START + members.length + 1);
  const { data, errors } = resultIn(body);
  if (errors) throw unreadableResponse();
  return data;
}

/**
 * Serializes JSON that services have sent. Very deeply nested values can be parsed but not serialized.
 *
 * @throws GatewayError 502 if the value cannot be serialized.
 */
export function writtenJson(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value), 'utf8');
  } catch (error) {
    throw error instanceof RangeError ? unreadableResponse() : error;
  }
}
