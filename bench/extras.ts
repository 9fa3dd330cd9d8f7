/** The measurements in addition to the rows. */
export const EXTRA_IDS = [
  'start',
  'reload',
  'documents',
  'growth',
  'login',
  'jobs',
  'many-services',
  'subscribers',
] as const;

export type ExtraId = (typeof EXTRA_IDS)[number];

export function isExtra(word: string): word is ExtraId {
  return (EXTRA_IDS as readonly string[]).includes(word);
}
