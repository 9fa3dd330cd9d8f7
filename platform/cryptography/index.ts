export { SecretComparison } from './constant-time.ts';
export { jwkThumbprint } from './jwk-thumbprint.ts';
export { createSealer, type Resealed, type Sealer } from './sealer.ts';
