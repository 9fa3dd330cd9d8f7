import { parseServiceJson } from '../../platform/index.ts';
import type { UpstreamResponse } from './exchange.ts';

/**
 * A response body that is relayed without being parsed. The body stays in the received chunks, since concatenating long
 * ones costs a copy.
 */
export class PassthroughBody {
  readonly chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.chunks = chunks;
  }

  static of({ chunks }: UpstreamResponse): PassthroughBody {
    return new PassthroughBody(chunks);
  }

  toBuffer(): Buffer {
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }

  /** @throws SyntaxError, RangeError see `parseServiceJson`. */
  toJson(): unknown {
    return parseServiceJson(this.toBuffer().toString('utf8'));
  }

  /**
   * Whether a response is `{"data":{…}}`, without parsing it. If a body begins and ends like that, only `extensions`
   * can be the last member besides the data (GraphQL section 7.1), and a list of errors can only come before it. Errors
   * that are not a list are invalid, and the client gets an error for them. Other content may look like one of these;
   * the response then has to be parsed.
   */
  isDataOnly(): boolean {
    const { chunks } = this;
    const [first] = chunks;
    const last = chunks.at(-1);
    if (!first || !last) return false;
    if (chunks.length > 1 && chunks.some(({ length }) => length <= OVERLAP))
      return new PassthroughBody([Buffer.concat(chunks)]).isDataOnly();
    return beginsAsData(first) && endsAsData(last) && !chunks.some(mayHoldMore) && !seamsOf(chunks).some(mayHoldMore);
  }
}

const DATA_PREFIX = Buffer.from('{"data":{');
const DATA_END = Buffer.from('}}');
/** The search looks for the first byte, and few letters are as rare as `x`. */
const EXTENSIONS = Buffer.from('xtensions"');
const ERRORS_AFTER_DATA = Buffer.from('},"errors"');
/** Short texts are searched with the processor's widest instructions; longer texts take ten times as long. */
const BEGINNING_OF_ERRORS = ERRORS_AFTER_DATA.subarray(0, 4);
const MAX_BEGINNINGS = 50;
const OVERLAP = Math.max(EXTENSIONS.length, ERRORS_AFTER_DATA.length) - 1;

/** The bytes around the boundary of two chunks. */
function seamsOf(chunks: readonly Buffer[]): readonly Buffer[] {
  return chunks.slice(1).map((chunk, index) => {
    const before = chunks[index]?.subarray(-OVERLAP) ?? chunk;
    return Buffer.concat([before, chunk.subarray(0, OVERLAP)]);
  });
}

function beginsAsData(bytes: Buffer): boolean {
  return bytes.subarray(0, DATA_PREFIX.length).equals(DATA_PREFIX);
}

function endsAsData(bytes: Buffer): boolean {
  return bytes.subarray(-DATA_END.length).equals(DATA_END);
}

function mayHoldMore(bytes: Buffer): boolean {
  return bytes.includes(EXTENSIONS) || holdsErrors(bytes);
}

function holdsErrors(bytes: Buffer): boolean {
  let at = bytes.indexOf(BEGINNING_OF_ERRORS);
  for (let tried = 0; at >= 0 && at + ERRORS_AFTER_DATA.length <= bytes.length; tried++) {
    if (tried === MAX_BEGINNINGS) return bytes.includes(ERRORS_AFTER_DATA, at);
    if (bytes.compare(ERRORS_AFTER_DATA, 0, ERRORS_AFTER_DATA.length, at, at + ERRORS_AFTER_DATA.length) === 0)
      return true;
    at = bytes.indexOf(BEGINNING_OF_ERRORS, at + 1);
  }
  return false;
}
