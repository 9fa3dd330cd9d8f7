import { expect, test } from '@jest/globals';
import { isDatabaseUnavailable } from '../../../auth-service/database/index.ts';

const passing = [
  ['an administrator ends the connection', { code: '57P01' }],
  ['the disk is full', { code: '53100' }],
  ['the name server fails', { code: 'EAI_FAIL' }],
  ['the network is down', { code: 'ENETDOWN' }],
  ['there is no descriptor for another connection', { code: 'EMFILE' }],
  ['there is no port for another connection', { code: 'EADDRNOTAVAIL' }],
  ['the certificate of the server has expired', { code: 'CERT_HAS_EXPIRED' }],
  ['the handshake fails', { code: 'EPROTO' }],
  ['the certificate is for another host', { code: 'HOSTNAME_MISMATCH' }],
  ['the certificate is not an authority’s', { code: 'INVALID_CA' }],
  ['the certificate is for another purpose', { code: 'INVALID_PURPOSE' }],
  ['the chain of certificates is too long', { code: 'PATH_LENGTH_EXCEEDED' }],
  ['the list of revoked certificates has expired', { code: 'CRL_HAS_EXPIRED' }],
  ['the list of revoked certificates cannot be read', { code: 'ERROR_IN_CRL_NEXT_UPDATE_FIELD' }],
  ['the server cannot begin TLS', { message: 'There was an error establishing an SSL connection' }],
  ['the server has no TLS', { message: 'The server does not support SSL connections' }],
  ['TLS fails, by Prisma’s adapter', { kind: 'TlsConnectionError', reason: 'no TLS' }],
  ['the Unix socket is gone', { code: 'ENOENT' }],
  ['the Unix socket is not for this user', { code: 'EACCES' }],
  ['a deadlock, by the driver', { code: '40P01' }],
  ['a serialization failure, by the driver', { code: '40001' }],
  ['a deadlock, by Prisma', { code: 'P2034' }],
  [
    'a deadlock in a raw query of Prisma',
    { code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: '40P01' } } } },
  ],
] as const;

test.each(passing)('counts as unavailable: %s', (_name, error) => {
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(isDatabaseUnavailable(Object.assign(new Error('failed'), { cause: error }))).toBe(true);
});

const lasting = [
  ['a unique violation', { code: '23505' }],
  ['a missing right', { code: '42501' }],
  ['a unique violation, by Prisma', { code: 'P2002' }],
  ['a key of the service that cannot be read', { code: 'ERR_OSSL_UNSUPPORTED' }],
] as const;

test.each(lasting)('is a fault of what was asked: %s', (_name, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false);
});
