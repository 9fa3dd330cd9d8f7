/** Returns whether a text equals a pattern, or begins with the prefix of a pattern that ends with `*`. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text));
}

/** Returns the tenants of a producer or a subscription, or undefined for all tenants. */
export function tenantsOf({
  tenants,
  all_tenants,
}: {
  readonly tenants?: readonly string[] | undefined;
  readonly all_tenants?: boolean | undefined;
}): ReadonlySet<string> | undefined {
  return all_tenants ? undefined : new Set(tenants);
}
