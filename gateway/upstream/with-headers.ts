/** Names to values, or names and values in turn. */
export type RequestHeaders = Readonly<Record<string, string>> | readonly string[];

/**
 * Adds headers to others.
 *
 * @param added names and values in turn, which win over those of the same name where the headers are by name.
 */
export function withHeaders(headers: RequestHeaders, added: readonly string[]): RequestHeaders {
  if (Array.isArray(headers)) return joinHeaderLists(headers as readonly string[], added);
  const together: Record<string, string> = { ...(headers as Readonly<Record<string, string>>) };
  for (let i = 0; i < added.length; i += 2) together[added[i] as string] = added[i + 1] as string;
  return together;
}

/**
 * Joins names and values in turn. The list has the length that it needs: `concat` takes three times as long, and two spreads make
 * room for twice as many.
 */
export function joinHeaderLists(first: readonly string[], second: readonly string[]): readonly string[] {
  const { length } = first;
  const all = new Array<string>(length + second.length);
  for (let i = 0; i < length; i++) all[i] = first[i] as string;
  for (let i = 0; i < second.length; i++) all[length + i] = second[i] as string;
  return all;
}
