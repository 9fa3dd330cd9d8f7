import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { isCanonicalUuid } from '../../platform/index.ts';
import { createGatewayKeys, type GatewayKeysOptions } from './gateway-keys.ts';

/** Keeps other tokens that the gateway signs from being accepted as assertions (RFC 8725, 3.11). */
const TYPE = 'portico-operator+jwt';
const ALGORITHM = 'ES256';
const MAX_LENGTH = 2_048;
/** The longest accepted lifetime, whatever the gateway states. */
const MAX_LIFETIME_SECONDS = 60;
/** How far the clocks of the gateway and the auth service may differ. */
const CLOCK_SKEW_SECONDS = 5;

const tokenHeader = z.strictObject({ alg: z.literal(ALGORITHM), typ: z.literal(TYPE), kid: z.string() });
const operatorClaims = z.object({
  iat: z.int(),
  exp: z.int(),
  jti: z.string().refine(isCanonicalUuid),
  scope: z.string(),
  body_sha256: z.string(),
});

/** A gateway whose admin secret makes an operator. */
export interface TrustedGateway {
  readonly jwksUrl: string;
  /** `iss` and `aud` of its assertions for this service. */
  readonly issuer: string;
  readonly audience: string;
}

export interface OperatorAssertionOptions extends Omit<GatewayKeysOptions, 'url'> {
  /** The scope that an assertion must have. */
  readonly scope: string;
}

export interface AssertedRequest {
  /** The SHA-256 of the request's body, in base64url. */
  readonly bodyDigest: string;
  /** Whether the request changes anything. If so, the assertion can be used once. Otherwise the request may be sent again. */
  readonly isChange: boolean;
}

/** Verifies that the gateway has signed, some seconds ago, that the caller of this request sent the admin secret. */
export type VerifyOperatorAssertion = (assertion: string, request: AssertedRequest) => Promise<boolean>;

/** @returns undefined without a gateway. No assertion is accepted then. */
export function openOperatorAssertions(
  gateway: TrustedGateway | undefined,
  { scope, ...options }: OperatorAssertionOptions,
): VerifyOperatorAssertion | undefined {
  if (!gateway) return undefined;
  const { jwksUrl, issuer, audience } = gateway;
  const { now } = options;
  const keys = createGatewayKeys({ ...options, url: jwksUrl });
  /** The ids of assertions that were used for changes, and when they expire, the oldest first. */
  const used = new Map<string, number>();

  return async (assertion, { bodyDigest, isChange }) => {
    try {
      if (assertion.length > MAX_LENGTH) return false;
      const key = await keys(kidOf(assertion));
      if (!key) return false;
      const seconds = Math.floor(now().getTime() / 1000);
      const { iat, exp, jti, ...content } = operatorClaims.parse(
        jwt.verify(assertion, key, {
          algorithms: [ALGORITHM],
          issuer,
          audience,
          clockTimestamp: seconds,
          clockTolerance: CLOCK_SKEW_SECONDS,
        }),
      );
      if (iat > seconds + CLOCK_SKEW_SECONDS || exp - iat > MAX_LIFETIME_SECONDS) return false;
      if (content.scope !== scope || content.body_sha256 !== bodyDigest) return false;
      if (!isChange) return true;
      for (const [id, end] of used) if (end < seconds) used.delete(id);
      if (used.has(jti)) return false;
      used.set(jti, exp + CLOCK_SKEW_SECONDS);
      return true;
    } catch {
      // The library and the parsers throw various errors for invalid assertions.
      return false;
    }
  };
}

/** @throws if the text is not an assertion. */
function kidOf(assertion: string): string {
  const [header = ''] = assertion.split('.');
  return tokenHeader.parse(JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))).kid;
}
