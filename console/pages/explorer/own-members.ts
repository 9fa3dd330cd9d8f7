// Aliases and variables may be called `__proto__` or `constructor`.

/** @returns undefined where the value has no such member of its own. */
export function ownMemberOf(value: unknown, name: string | number): unknown {
  const isContainer = typeof value === 'object' && value !== null;
  return isContainer && Object.hasOwn(value, name) ? (value as Record<string | number, unknown>)[name] : undefined;
}

export function setMember(into: object, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
}
