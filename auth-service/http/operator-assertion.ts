import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { VerifyOperatorAssertion } from '../tokens/index.ts';

/** The header with the gateway's signed assertion. The gateway forwards no client's header of this name. */
const OPERATOR_HEADER = 'x-portico-operator';

/**
 * Checks the operator's assertion of a request, once for all fields of the operation.
 *
 * @param isChange whether the request changes anything.
 */
export type CheckOperatorAssertion = (isChange: boolean) => Promise<boolean>;

export interface OperatorAssertions {
  /** Stores the digest of the body. Used as `verify` of express's body parser, which calls it with the bytes. */
  readonly keepDigest: (request: IncomingMessage, response: unknown, body: Buffer) => void;
  /** Returns undefined for a request without an assertion. */
  checkOf(request: IncomingMessage): CheckOperatorAssertion | undefined;
}

/** @param verify undefined if no gateway's assertions are accepted. The header is then ignored. */
export function createOperatorAssertions(verify: VerifyOperatorAssertion | undefined): OperatorAssertions {
  const digests = new WeakMap<IncomingMessage, string>();
  return {
    keepDigest: (request, _response, body) => {
      if (verify && request.headers[OPERATOR_HEADER] !== undefined)
        digests.set(request, createHash('sha256').update(body).digest('base64url'));
    },
    checkOf: (request) => {
      const assertion = request.headers[OPERATOR_HEADER];
      if (!verify || assertion === undefined) return undefined;
      let checked: Promise<boolean> | undefined;
      return (isChange) => {
        checked ??= verify(String(assertion), { bodyDigest: digests.get(request) ?? '', isChange });
        return checked;
      };
    },
  };
}
