import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { OPERATOR_SCOPE, type Session } from '../session/index.ts';
import { type PublicJwk, type SigningKey, signingKeyOf } from './signing-key.ts';

/** The header that services get an assertion in. A client's own header of this name is never forwarded. */
export const ASSERTION_HEADER = 'x-portico-assertion';

/** So that no verifier takes an assertion for another kind of token, or another for an assertion (RFC 8725, 3.11). */
const ASSERTION_TYPE = 'portico-assertion+jwt';
const CLAIMS = 'https://hasura.io/jwt/claims';
const USER_ID = 'x-hasura-user-id';

/** How long an assertion is valid. */
const LIFETIME_SECONDS = 60;
/** How long it is sent. What is left then is for the request's way and for clocks that differ. */
const REUSE_SECONDS = 30;

/** Proves the caller to one service: a JWT whose `aud` is this service. */
export interface ServiceAssertion {
  /** For a request on a caller's behalf. */
  forSession(session: Session): string;
  /** For a request that the gateway makes on its own account, such as an introspection. It names no caller. */
  forGateway(): string;
}

/** The header that the auth service gets an operator's assertion in. A client's own header of this name is never forwarded. */
export const OPERATOR_HEADER = 'x-portico-operator';

/** As for service assertions: no verifier takes one for the other. */
const OPERATOR_TYPE = 'portico-operator+jwt';
const OPERATOR_LIFETIME_SECONDS = 30;

/** Proves to the auth service that the caller of one request has shown the admin secret. */
export interface OperatorAssertion {
  /** @param body of the request: the assertion is worthless with another one. */
  forRequest(body: string): string;
}

/** Signs assertions of this gateway. */
export interface Assertions {
  /** The public keys, to be published. */
  readonly keySet: { readonly keys: readonly PublicJwk[] };
  forAudience(audience: string): ServiceAssertion;
  operatorFor(audience: string): OperatorAssertion;
}

export interface AssertionsOptions {
  /** What signs: 32 random bytes or more. */
  readonly secret: Uint8Array;
  /** The next key, or the previous one, during a rotation: published, and not used. */
  readonly standbySecret?: Uint8Array | undefined;
  readonly issuer: string;
  /** Milliseconds since the epoch. */
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

/** An assertion and until when it is sent, in milliseconds since the epoch. */
interface Signed {
  readonly text: string;
  readonly reusableUntil: number;
}

function openAssertion(signer: Signer): ServiceAssertion {
  // By the session itself, so that no two callers share one; it goes when the session does.
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

/** A clock that was set back must not make an old assertion live on. */
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
