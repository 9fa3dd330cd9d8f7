/** Whether a text is one of the patterns: equal, or with the beginning that one with a `*` at its end has. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text));
}

/** The tenants of a producer or a subscription; undefined: all. */
export function tenantsOf({
  tenants,
  all_tenants,
}: {
  readonly tenants?: readonly string[] | undefined;
  readonly all_tenants?: boolean | undefined;
}): ReadonlySet<string> | undefined {
  return all_tenants ? undefined : new Set(tenants);
}
