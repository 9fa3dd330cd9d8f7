export { type CallerClaims, readClaims } from './claims.ts';
export { ClockSkew } from './clock-skew.ts';
export { type JwtSecret, parseJwtSecret, parseJwtSecrets } from './jwt-secret.ts';
export { fixedKeySet, type KeySet } from './key-set.ts';
export { type FetchKeys, RemoteKeySet } from './remote-key-set.ts';
export { describeLocation, isFilled, locationHeader, type TokenLocation, tokenAt } from './token-location.ts';
export { MAX_TOKEN_LENGTH, type VerifiedToken, verifyToken } from './verify-token.ts';
