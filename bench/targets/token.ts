import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A caller's ES256 token, and the setting with which a gateway accepts it. */
export interface TokenHolder {
  readonly token: string;
  /** Returns the token of another user. */
  tokenOf(user: string): string;
  readonly jwtSecret: string;
}

/** Creates users who stay logged in for as long as the benchmark runs. */
export function makeCaller(): TokenHolder {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokenOf = (user: string) => signedToken(user, privateKey);
  return {
    token: tokenOf('7'),
    tokenOf,
    jwtSecret: JSON.stringify({ type: 'ES256', key: publicKey.export({ type: 'spki', format: 'pem' }) }),
  };
}

function signedToken(user: string, privateKey: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const input = [
    { alg: 'ES256', typ: 'at+jwt' },
    {
      sub: user,
      iat: now,
      exp: now + 86_400,
      'https://hasura.io/jwt/claims': {
        'x-hasura-allowed-roles': ['user'],
        'x-hasura-default-role': 'user',
        'x-hasura-user-id': user,
        'x-hasura-tenant-id': '1',
      },
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
