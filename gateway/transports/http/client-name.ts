import type { IncomingHttpHeaders } from 'node:http';

/** Which clients send what headers: Apollo's, then those of the GraphQL Foundation's and other tools. */
const NAME_HEADERS = ['apollographql-client-name', 'graphql-client-name'] as const;
const VERSION_HEADERS = ['apollographql-client-version', 'graphql-client-version'] as const;
const ASCII = /^[\x20-\x7e]*$/;

/** The name that a client gives itself, as node has it: any text, bytes as Latin-1. Undefined where it gives none. */
export function sentClientName(headers: IncomingHttpHeaders): string | undefined {
  return sentText(headers[NAME_HEADERS[0]] ?? headers[NAME_HEADERS[1]]);
}

/** The version that a client gives itself, in the same form. */
export function sentClientVersion(headers: IncomingHttpHeaders): string | undefined {
  return sentText(headers[VERSION_HEADERS[0]] ?? headers[VERSION_HEADERS[1]]);
}

function sentText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The text of a header: node gives its bytes as Latin-1. */
export function headerText(value: string): string {
  return ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}
