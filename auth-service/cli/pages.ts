import type { Page } from '../use-cases/index.ts';

/** The largest page size of the administration. */
const PAGE_SIZE = 200;

/** Returns the entries of all pages, up to `most`. */
export async function allPages<Entry>(
  read: (page: { first: number; after: string | null }) => Promise<Page<Entry>>,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const page: Page<Entry> = await read({ first: Math.min(PAGE_SIZE, most - entries.length), after });
    entries.push(...page.entries);
    after = page.next;
  } while (after !== null && entries.length < most);
  return entries;
}
