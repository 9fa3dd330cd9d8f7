export { loadBcrypt } from './bcrypt-library.ts';
export {
  type Bcrypt,
  type BcryptPool,
  HashQueueFullError,
  type HashThreads,
  type HashUsage,
  openBcryptPool,
  openHashThreads,
} from './bcrypt-pool.ts';
export { importedHash, MAX_BCRYPT_COST, MIN_BCRYPT_COST } from './imported-hash.ts';
export { createPasswords, type PasswordOptions, type Passwords, type Peppers } from './passwords.ts';
export { MAX_PEPPER_VERSION, pepperSecret, peppersOf, pepperVersions, setsPepperVersions } from './pepper-settings.ts';
export {
  createPasswordPolicy,
  type PasswordOwner,
  type PasswordPolicy,
  type PasswordPolicyOptions,
  type PasswordProblem,
  type PasswordProblemCode,
} from './policy.ts';
