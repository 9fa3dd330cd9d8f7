export { createSealer, type Sealer } from '../../platform/index.ts';
export {
  type AccessTokens,
  createAccessTokens,
  FIRST_PARTY_CLIENT,
  isIssuedBefore,
  type TokenSubject,
} from './access-token.ts';
export { type ExtraClaims, mergeClaims, problemWithClaims, takesAway } from './extra-claims.ts';
export { KEY_ALGORITHMS, type KeyAlgorithm } from './key-pairs.ts';
export { type BegunRotation, beginRotation, resealKeys, retireKey } from './key-rotation.ts';
export { activationTime, type KeyPolicy, removalTime } from './key-schedule.ts';
export { openOperatorAssertions, type VerifyOperatorAssertion } from './operator-assertion.ts';
export { type RefreshTokenContent, refreshTokenHash } from './refresh-token.ts';
export { inspectRefreshTokenKeys, refreshTokenKeySweep } from './refresh-token-keys.ts';
export { openRefreshTokens, type RefreshTokens } from './refresh-tokens.ts';
export { ROLE_NAME } from './role-name.ts';
export { openSuccessor, sealSuccessor } from './sealed-successor.ts';
export { readSigningKeys, type SigningKeyRow } from './signing-key-rows.ts';
export { openSigningKeys, type SigningKeys } from './signing-keys.ts';
export {
  type AccessTokenVerifierOptions,
  createAccessTokenVerifier,
  type VerifiedAccessToken,
  type VerifyAccessToken,
} from './verify-access-token.ts';
