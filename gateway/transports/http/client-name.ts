import type { IncomingHttpHeaders } from 'node:http';

/** The headers with a client's name: first Apollo's, then the one of the GraphQL Foundation's and other tools. */
const NAME_HEADERS = ['apollographql-client-name', 'graphql-client-name'] as const;
const VERSION_HEADERS = ['apollographql-client-version', 'graphql-client-version'] as const;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Returns the name that a client states, as Node.js provides it: any text, with bytes as Latin-1. Undefined if there is none.
 */
export function sentClientName(headers: IncomingHttpHeaders): string | undefined {
  return sentText(headers[NAME_HEADERS[0]] ?? headers[NAME_HEADERS[1]]);
}

/** Returns the version that a client states, in the same form. */
export function sentClientVersion(headers: IncomingHttpHeaders): string | undefined {
  return sentText(headers[VERSION_HEADERS[0]] ?? headers[VERSION_HEADERS[1]]);
}

function sentText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Decodes a header, whose bytes Node.js provides as Latin-1. */
export function headerText(value: string): string {
  return ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}
