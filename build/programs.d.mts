export const PROGRAMS: Readonly<Record<string, readonly string[]>>;
