import { errorCode } from '../../../platform/index.ts';
import type { CalledHandler } from './handler-caller.ts';

/** Describes the result of a call, one line for each problem. The lines may quote the handler. */
export function describeVerdict({ verdict, handler }: CalledHandler): readonly string[] {
  switch (verdict.kind) {
    case 'value':
      return ['the response fits the output type'];
    case 'refused':
      return [`the handler refused the call: ${verdict.error.message} (${String(verdict.error.extensions.code)})`];
    case 'misfit': {
      const places = verdict.misfits.map(({ path, problem }) => `${path === '' ? 'the result' : path}: ${problem}`);
      return verdict.rejected === undefined
        ? [...places, 'the gateway returns these values as null or unchanged, although the type says otherwise']
        : [...places, `the gateway rejects the response: ${verdict.rejected}`];
    }
    case 'unusable':
      return [verdict.problem];
    case 'not-called':
      return verdict.problems.map((problem) => `the gateway would not call the handler: ${problem}`);
    case 'unreachable':
      return [unreachableText(handler, verdict.failure)];
  }
}

const CONNECTION_CAUSES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there: is the handler started?'],
  ['ENOTFOUND', 'the name of the host is unknown'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up'],
  ['ECONNRESET', 'the handler closed the connection without a response'],
  ['UND_ERR_SOCKET', 'the handler closed the connection without a response'],
]);

type Unreachable = Extract<CalledHandler['verdict'], { readonly kind: 'unreachable' }>;

function unreachableText({ url, timeoutMs }: CalledHandler['handler'], failure: Unreachable['failure']): string {
  const origin = URL.canParse(url) ? new URL(url).origin : 'the handler';
  if (failure.reason === 'timeout') return `the handler did not respond within ${timeoutMs / 1000} seconds`;
  if (failure.reason === 'too-large') return 'the response is larger than PORTICO_UPSTREAM_MAX_RESPONSE_BYTES';
  const code = errorCode(failure.cause) ?? '';
  const cause = CONNECTION_CAUSES.get(code) ?? failure.message;
  return `${origin} cannot be reached: ${cause}${CONNECTION_CAUSES.has(code) ? ` (${code})` : ''}`;
}
