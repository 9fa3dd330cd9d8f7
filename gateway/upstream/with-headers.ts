/** Names to values, or alternating names and values. */
export type RequestHeaders = Readonly<Record<string, string>> | readonly string[];

/**
 * Adds headers.
 *
 * @param added alternating names and values, which replace headers of the same name if `headers` is an object
 */
export function withHeaders(headers: RequestHeaders, added: readonly string[]): RequestHeaders {
  if (Array.isArray(headers)) return joinHeaderLists(headers as readonly string[], added);
  const together: Record<string, string> = { ...(headers as Readonly<Record<string, string>>) };
  for (let i = 0; i < added.length; i += 2) together[added[i] as string] = added[i + 1] as string;
  return together;
}

/**
 * Joins lists of alternating names and values. The list is allocated with its final length: `concat` takes three times
 * as long, and two spreads allocate twice the space.
 */
export function joinHeaderLists(first: readonly string[], second: readonly string[]): readonly string[] {
  const { length } = first;
  const all = new Array<string>(length + second.length);
  for (let i = 0; i < length; i++) all[i] = first[i] as string;
  for (let i = 0; i < second.length; i++) all[length + i] = second[i] as string;
  return all;
}
