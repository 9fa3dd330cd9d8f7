import { createHmac, generateKeyPairSync, type KeyObject, constants as RSA, sign } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  type AuthenticationSettings,
  type Authenticator,
  createWrongSecrets,
  openAuthenticator,
  parseJwtSecrets,
  type Session,
} from '../../../gateway/access/session/index.ts';
import { GatewayError } from '../../../gateway/errors.ts';
import { openUpstreamHttp } from '../../../gateway/upstream/http-client.ts';
import { createLogger } from '../../../platform/index.ts';
import { encoded, payloadOf, type TokenContent } from '../harness/issuer.ts';

export type SigningPair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** A key of every kind that tokens are signed with, by the algorithm. */
export function makePairs() {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
  return {
    RS256: rsa,
    RS384: rsa,
    RS512: rsa,
    PS256: rsa,
    PS384: rsa,
    PS512: rsa,
    ES256: ec('P-256'),
    ES384: ec('P-384'),
    ES512: ec('P-521'),
    Ed25519: generateKeyPairSync('ed25519'),
  } satisfies Record<string, SigningPair>;
}

/** A token signed by node itself. `algorithm` is what signs; the header's `alg` can be put over it. */
export function tokenSignedWith(algorithm: string, key: KeyObject | string, content: TokenContent = {}): string {
  const header = { alg: algorithm, typ: 'JWT', ...content.header };
  const input = `${encoded(header)}.${encoded(payloadOf(content))}`;
  return `${input}.${signatureOf(algorithm, key, input).toString('base64url')}`;
}

function signatureOf(algorithm: string, key: KeyObject | string, input: string): Buffer {
  const hash = `sha${algorithm.slice(2)}`;
  if (typeof key === 'string') return createHmac(hash, key).update(input).digest();
  const bytes = Buffer.from(input);
  if (key.asymmetricKeyType === 'ed25519') return sign(null, bytes, key);
  if (algorithm.startsWith('ES')) return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
  if (!algorithm.startsWith('PS')) return sign(hash, bytes, key);
  return sign(hash, bytes, { key, padding: RSA.RSA_PKCS1_PSS_PADDING, saltLength: RSA.RSA_PSS_SALTLEN_DIGEST });
}

export function pemOf(key: KeyObject, type: 'spki' | 'pkcs1' = 'spki'): string {
  return key.export({ type, format: 'pem' }).toString();
}

export interface TestAuthenticator {
  readonly authenticator: Authenticator;
  readonly logs: () => string;
  /** Who the headers are taken for. */
  session(headers: IncomingHttpHeaders, operation?: unknown): Promise<Session>;
  /** How the headers are refused. @throws Error when they are not. */
  refusal(headers: IncomingHttpHeaders): Promise<{ status: number; code: string; message: string }>;
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  secrets?: readonly Record<string, unknown>[];
  hook?: AuthenticationSettings['hook'];
  adminSecret?: string;
  trusted?: readonly string[];
}

/** The address of the caller. */
const CLIENT = '203.0.113.7';

/** An authenticator as the gateway opens it. The secrets are given as an operator writes them. */
export function openTestAuthenticator(options: AuthenticatorOptions): TestAuthenticator {
  const jwtSecrets = options.secrets ? parseJwtSecrets(JSON.stringify(options.secrets)) : [];
  if ('problem' in jwtSecrets) throw new Error(jwtSecrets.problem);
  const http = openUpstreamHttp();
  const lines: string[] = [];
  const { authenticator, stop } = openAuthenticator(
    { jwtSecrets, hook: options.hook, adminSecret: options.adminSecret },
    {
      call: http.send,
      log: createLogger('test', 'trace', { write: (line) => void lines.push(line) }),
      wrongSecrets: createWrongSecrets(createLogger('test', 'silent')),
      trustsOrigin: (origin) => options.trusted?.includes(origin) ?? false,
    },
  );
  return {
    authenticator,
    logs: () => lines.join(''),
    session: async (headers, operation) => authenticator.authenticate(headers, CLIENT, operation),
    refusal: async (headers) => {
      const refused = await (async () => authenticator.authenticate(headers, CLIENT))().then(
        () => new Error('the caller was let in'),
        (error) => error,
      );
      if (!(refused instanceof GatewayError)) throw refused;
      const { status, code, message } = refused;
      return { status, code, message };
    },
    close: async () => {
      stop();
      await http.close();
    },
  };
}
