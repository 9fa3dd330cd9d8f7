import { createHash } from 'node:crypto';
import { Kind, parse, print, visit } from 'graphql';
import type { RemoteSchemaMetadata } from '../metadata/index.ts';

/** The detected kind of the service under `composition: auto`. */
export type CompositionKind = 'plain' | 'stitching' | 'federation';

/** The schema of a remote schema as it is stored in a file. */
export interface StoredSchema {
  readonly composition: CompositionKind;
  /** SDL in the service's own names, with its directives where it is a subgraph or stitched. */
  readonly sdl: string;
  /** The fingerprint of the description that the schema was fetched by, see `fingerprintOf`; undefined in files without one. */
  readonly fingerprint: string | undefined;
}

const COMPOSITION_LINE = '# composition: ';
const FINGERPRINT_LINE = '# definition: ';

/** The name of the file that holds the schema of `source`. A source's name may hold anything, a file's may not. */
export function schemaFileName(source: string): string {
  return `${encodeURIComponent(source)}.graphql`;
}

/** The text of the file: comments that say what it is, then the SDL. */
export function schemaFileText({ composition, sdl, fingerprint }: StoredSchema): string {
  const definition = fingerprint === undefined ? '' : `${FINGERPRINT_LINE}${fingerprint}\n`;
  return `${COMPOSITION_LINE}${composition}\n${definition}${sdl}\n`;
}

/** Reads the text of such a file. Text without the comments is the SDL of a service of kind `plain`. */
export function readSchemaFile(text: string): StoredSchema {
  const [first = '', second = ''] = text.split('\n', 2);
  const composition = first.startsWith(COMPOSITION_LINE) ? first.slice(COMPOSITION_LINE.length) : undefined;
  const fingerprint = second.startsWith(FINGERPRINT_LINE) ? second.slice(FINGERPRINT_LINE.length) : undefined;
  const header = [composition, fingerprint].filter((line) => line !== undefined).length;
  return {
    composition: composition === 'federation' || composition === 'stitching' ? composition : 'plain',
    sdl: text.split('\n').slice(header).join('\n').replace(/\n$/, ''),
    fingerprint: composition === undefined ? undefined : fingerprint,
  };
}

/**
 * Identifies the service that the metadata describes: its address and the kind of requests, so that the schema of
 * another service is not used for it. Settings that concern only the gateway, such as permissions, customization and
 * timeouts, make no difference.
 *
 * Addresses and headers are taken as they are written, so that files can be made elsewhere; the values of headers,
 * passwords in addresses and query strings are left out, because the hash of something short can be guessed.
 */
export function definitionFingerprint({ name, definition }: RemoteSchemaMetadata): string {
  const headers = (list: typeof definition.headers) =>
    list.map((header) => [header.name, header.value_from_env ?? null]);
  const identity = [
    name,
    addressOf(definition.url),
    definition.url_from_env ?? null,
    definition.composition,
    headers(definition.headers),
    addressOf(definition.supergraph_url),
    definition.supergraph_url_from_env ?? null,
    headers(definition.supergraph_headers),
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

function addressOf(url: string | null | undefined): string | null {
  return url?.replace(/\/\/[^/@]*@/, '//').replace(/\?.*$/s, '') ?? null;
}

/** Leads nowhere (RFC 2606 section 2). */
const PLACEHOLDER_URL = { kind: Kind.STRING, value: 'http://subgraph.invalid/' } as const;

/**
 * A supergraph without the addresses of its subgraphs: a stored schema must not decide where requests go, and an
 * address may contain a password.
 */
export function withoutAddresses(supergraphSdl: string): string {
  const document = visit(parse(supergraphSdl), {
    Directive: (node) =>
      node.name.value === 'join__graph'
        ? {
            ...node,
            arguments: node.arguments?.map((argument) =>
              argument.name.value === 'url' ? { ...argument, value: PLACEHOLDER_URL } : argument,
            ),
          }
        : undefined,
  });
  return print(document);
}
