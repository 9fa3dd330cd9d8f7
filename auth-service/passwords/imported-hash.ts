/** bcrypt's own text of cost 4 to 15: a higher cost would let one row keep a thread busy for minutes. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

/**
 * What is stored for an account that comes from elsewhere with a bcrypt hash of its plain password: that hash as it is.
 * `Passwords.verify` knows it from our own kind by its first letters.
 *
 * @returns undefined for a text that is no such hash, or one whose cost is out of bounds.
 */
export function importedHash(bcrypt: string): string | undefined {
  return BCRYPT.test(bcrypt) ? bcrypt : undefined;
}
