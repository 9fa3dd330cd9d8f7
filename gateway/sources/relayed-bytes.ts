import type { ExecutionResult } from 'graphql';
import type { UpstreamResponse } from './upstream-exchange.ts';

/** The bytes of an answer, in one piece or in the pieces in which they came: to put long ones together costs a copy. */
export type RelayedBytes = Buffer | readonly Buffer[];

export function isRelayed(answer: RelayedBytes | ExecutionResult): answer is RelayedBytes {
  return Buffer.isBuffer(answer) || Array.isArray(answer);
}

/** The bytes of an answer, as they came. */
export function piecesOf({ pieces }: UpstreamResponse): RelayedBytes {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : pieces;
}

/** The bytes in one piece. */
export function wholeBytes(bytes: RelayedBytes): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes);
}

const DATA = Buffer.from('{"data":{');
const END = Buffer.from('}}');
/** Texts are looked for by their first letter: few are as rare as this one. */
const EXTENSIONS = Buffer.from('xtensions"');
const ERRORS = Buffer.from('},"errors"');
/** Short texts are looked for byte by byte in the processor's widest steps, longer ones ten times as slowly. */
const BEGINNING_OF_ERRORS = ERRORS.subarray(0, 4);
const MAX_BEGINNINGS = 50;
const OVERLAP = Math.max(EXTENSIONS.length, ERRORS.length) - 1;

/**
 * Whether a response is `{"data":{…}}`, without having parsed it: where it begins and ends like that, only `extensions`
 * can be its last member beside the data (GraphQL section 7.1), and errors, a list, stand before it. Errors that are no
 * list are none, which the client is to be told. What is neither may look like it; then the response is parsed to tell.
 */
export function holdsOnlyData(bytes: RelayedBytes): boolean {
  if (Buffer.isBuffer(bytes)) return beginsAsData(bytes) && endsAsData(bytes) && !mayHoldMore(bytes);
  const [first] = bytes;
  const last = bytes.at(-1);
  if (!first || !last || bytes.some(({ length }) => length <= OVERLAP)) return holdsOnlyData(Buffer.concat(bytes));
  return beginsAsData(first) && endsAsData(last) && !bytes.some(mayHoldMore) && !seamsOf(bytes).some(mayHoldMore);
}

/** What lies across the ends of two pieces. */
function seamsOf(pieces: readonly Buffer[]): readonly Buffer[] {
  return pieces.slice(1).map((piece, index) => {
    const before = pieces[index]?.subarray(-OVERLAP) ?? piece;
    return Buffer.concat([before, piece.subarray(0, OVERLAP)]);
  });
}

function beginsAsData(bytes: Buffer): boolean {
  return bytes.subarray(0, DATA.length).equals(DATA);
}

function endsAsData(bytes: Buffer): boolean {
  return bytes.subarray(-END.length).equals(END);
}

function mayHoldMore(bytes: Buffer): boolean {
  return bytes.includes(EXTENSIONS) || holdsErrors(bytes);
}

function holdsErrors(bytes: Buffer): boolean {
  let at = bytes.indexOf(BEGINNING_OF_ERRORS);
  for (let tried = 0; at >= 0 && at + ERRORS.length <= bytes.length; tried++) {
    if (tried === MAX_BEGINNINGS) return bytes.includes(ERRORS, at);
    if (bytes.compare(ERRORS, 0, ERRORS.length, at, at + ERRORS.length) === 0) return true;
    at = bytes.indexOf(BEGINNING_OF_ERRORS, at + 1);
  }
  return false;
}
