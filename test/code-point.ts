import fc from 'fast-check';

/**
 * Any character of Unicode, as the unit of a string. `binary` of fast-check gives the same, and puts all of them into a table
 * first, which takes a second of processor time.
 */
export const codePoint = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
