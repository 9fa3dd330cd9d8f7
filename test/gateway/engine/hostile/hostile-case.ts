import { parse } from 'graphql';
import type { StrictGraph } from '../strict-services.ts';

/** An operation that a caller may send to make planning take long. */
export interface HostileCase {
  readonly family: string;
  readonly name: string;
  readonly subgraphs: StrictGraph['subgraphs'];
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The data that its answer is checked with, where it is. */
  readonly data?: Pick<StrictGraph, 'roots' | 'entities'>;
}

export const times = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));

/** What a gateway parses of a client, unless it is configured otherwise. */
const MOST_TOKENS = 10_000;

/** Whether a document is refused before it is planned. */
export function isTooLong(text: string): boolean {
  try {
    parse(text, { maxTokens: MOST_TOKENS });
    return false;
  } catch {
    return true;
  }
}
