export { type Bcrypt, type BcryptPool, HashQueueFullError, openBcryptPool } from './bcrypt-pool.ts';
export { importedHash } from './imported-hash.ts';
export { createPasswords, type Passwords } from './passwords.ts';
