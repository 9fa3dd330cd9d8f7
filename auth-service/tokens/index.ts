export { type AccessTokens, createAccessTokens } from './access-token.ts';
export { newRefreshToken, refreshTokenHash } from './refresh-token.ts';
export { createSealer, type Sealer } from './sealer.ts';
export { openSigningKeys, type SigningKeys } from './signing-keys.ts';
