import type { Way } from './case.ts';

/** What the present engine gets wrong, by case and operation: take out what is right now. */
export const KNOWN_FAILURES: Readonly<Record<string, Readonly<Record<string, readonly Way[]>>>> = {};
