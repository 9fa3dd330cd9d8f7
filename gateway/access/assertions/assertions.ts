import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { OPERATOR_SCOPE, type Session } from '../session/index.ts';
import { type PublicJwk, type SigningKey, signingKeyOf } from './signing-key.ts';

/** The header with the assertion for a service. A client's own header of this name is never forwarded. */
export const ASSERTION_HEADER = 'x-portico-assertion';

/** Keeps verifiers from confusing assertions with other kinds of tokens (RFC 8725, 3.11). */
const ASSERTION_TYPE = 'portico-assertion+jwt';
const CLAIMS = 'https://hasura.io/jwt/claims';
const USER_ID = 'x-hasura-user-id';

/** How long an assertion is valid. */
const LIFETIME_SECONDS = 60;
/** How long an assertion is reused. The rest of its lifetime is for the request's travel time and for clock differences. */
const REUSE_SECONDS = 30;

/** Proves the caller's identity to one service: a JWT whose `aud` is that service. */
export interface ServiceAssertion {
  /** Returns an assertion for a request on a caller's behalf. */
  forSession(session: Session): string;
  /** Returns an assertion for a request of the gateway itself, such as an introspection. It names no caller. */
  forGateway(): string;
}

/** The header with an operator's assertion for the auth service. A client's own header of this name is never forwarded. */
export const OPERATOR_HEADER = 'x-portico-operator';

/** Keeps verifiers from confusing operators' assertions with those for services. */
const OPERATOR_TYPE = 'portico-operator+jwt';
const OPERATOR_LIFETIME_SECONDS = 30;

/** Proves to the auth service that the caller of a request has sent the admin secret. */
export interface OperatorAssertion {
  /** @param body of the request. The assertion is invalid for any other body. */
  forRequest(body: string): string;
}

/** Signs assertions of this gateway. */
export interface Assertions {
  /** The public keys to publish. */
  readonly keySet: { readonly keys: readonly PublicJwk[] };
  forAudience(audience: string): ServiceAssertion;
  operatorFor(audience: string): OperatorAssertion;
}

export interface AssertionsOptions {
  /** The signing secret: at least 32 random bytes. */
  readonly secret: Uint8Array;
  /** The next or the previous secret during a rotation. Its key is published, but not used for signing. */
  readonly standbySecret?: Uint8Array | undefined;
  readonly issuer: string;
  /** Returns the time in milliseconds since the epoch. */
  readonly now?: () => number;
}

export function createAssertions({ secret, standbySecret, issuer, now = Date.now }: AssertionsOptions): Assertions {
  const key = signingKeyOf(secret);
  const standby = standbySecret && signingKeyOf(standbySecret);
  const keys = [key, ...(standby && standby.publicJwk.kid !== key.publicJwk.kid ? [standby] : [])];
  return {
    keySet: { keys: keys.map(({ publicJwk }) => publicJwk) },
    forAudience: (audience) => openAssertion({ key, issuer, audience, now }),
    operatorFor: (audience) => ({
      forRequest: (body) => signOperator({ key, issuer, audience, now }, body),
    }),
  };
}

interface Signer {
  readonly key: SigningKey;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => number;
}

/** An assertion, and the time until which it is reused, in milliseconds since the epoch. */
interface Signed {
  readonly text: string;
  readonly reusableUntil: number;
}

function openAssertion(signer: Signer): ServiceAssertion {
  // Keyed by the session object, so that callers never share an assertion. An entry is released with its session.
  const bySession = new WeakMap<Session, Signed>();
  let ofGateway: Signed | undefined;
  return {
    forSession: (session) => {
      let signed = bySession.get(session);
      if (!isReusable(signed, signer)) {
        signed = sign(signer, assertionClaims(session));
        bySession.set(session, signed);
      }
      return signed.text;
    },
    forGateway: () => {
      if (!isReusable(ofGateway, signer)) ofGateway = sign(signer, {});
      return ofGateway.text;
    },
  };
}

/** If the clock is set back, an old assertion must not be reused for longer. */
function isReusable(signed: Signed | undefined, { now }: Signer): signed is Signed {
  if (signed === undefined) return false;
  const left = signed.reusableUntil - now();
  return left > 0 && left <= REUSE_SECONDS * 1000;
}

function assertionClaims({ variables }: Session): object {
  const user = variables[USER_ID];
  return { ...(user !== undefined && { sub: user }), [CLAIMS]: variables };
}

function sign(signer: Signer, claims: object): Signed {
  const at = signer.now();
  const text = signJwt(signer, { typ: ASSERTION_TYPE, at, lifetimeSeconds: LIFETIME_SECONDS, claims });
  return { text, reusableUntil: at + REUSE_SECONDS * 1000 };
}

function signOperator(signer: Signer, body: string): string {
  const claims = { scope: OPERATOR_SCOPE, body_sha256: createHash('sha256').update(body).digest('base64url') };
  return signJwt(signer, { typ: OPERATOR_TYPE, at: signer.now(), lifetimeSeconds: OPERATOR_LIFETIME_SECONDS, claims });
}

interface JwtContent {
  readonly typ: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly lifetimeSeconds: number;
  readonly claims: object;
}

function signJwt({ key, issuer, audience }: Signer, { typ, at, lifetimeSeconds, claims }: JwtContent): string {
  const iat = Math.floor(at / 1000);
  const payload = { iss: issuer, aud: audience, iat, exp: iat + lifetimeSeconds, jti: randomUUID(), ...claims };
  const header = { alg: 'ES256', typ, kid: key.publicJwk.kid } as const;
  return jwt.sign(payload, key.privateKey, { algorithm: 'ES256', header });
}
