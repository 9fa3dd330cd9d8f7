/** The largest `Int` of GraphQL. */
const LARGEST_ID = 2 ** 31 - 1;

/** A tenant's id, as an address or a form has it. @returns undefined where it is none. */
export function tenantIdOf(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
  return id >= 1 && id <= LARGEST_ID ? id : undefined;
}
