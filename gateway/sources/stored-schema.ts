import { createHash } from 'node:crypto';
import { Kind, parse, print, visit } from 'graphql';
import type { RemoteSchemaMetadata } from '../metadata/index.ts';

/** The detected kind of the service under `composition: auto`. */
export type CompositionKind = 'plain' | 'stitching' | 'federation';

/** The schema of a remote schema, as a file stores it. */
export interface StoredSchema {
  readonly composition: CompositionKind;
  /** SDL in the service's own names. The SDL of a subgraph or stitched service includes the service's directives. */
  readonly sdl: string;
  /**
   * The fingerprint of the definition that the schema was fetched with (`definitionFingerprint`). Undefined in files
   * without one.
   */
  readonly fingerprint: string | undefined;
}

const COMPOSITION_LINE = '# composition: ';
const FINGERPRINT_LINE = '# definition: ';

/** The file name for the schema of `source`. The name is encoded because a source's name may contain any character. */
export function schemaFileName(source: string): string {
  return `${encodeURIComponent(source)}.graphql`;
}

/** Writes the file: comments that describe the schema, then the SDL. */
export function schemaFileText({ composition, sdl, fingerprint }: StoredSchema): string {
  const definition = fingerprint === undefined ? '' : `${FINGERPRINT_LINE}${fingerprint}\n`;
  return `${COMPOSITION_LINE}${composition}\n${definition}${sdl}\n`;
}

/** Reads such a file. Without the comments, the text is the SDL of a service of kind `plain`. */
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
 * Identifies the service that a definition describes by its address and the kind of its requests. A stored schema is
 * therefore never used for another service. Settings that only concern the gateway, such as permissions, customization
 * and timeouts, make no difference.
 *
 * Addresses and headers are used as written, so that files can be created elsewhere. Header values, passwords in
 * addresses and query strings are left out, because the hash of a short text can be guessed.
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

/** An address that never resolves (RFC 2606 section 2). */
const PLACEHOLDER_URL = { kind: Kind.STRING, value: 'http://subgraph.invalid/' } as const;

/**
 * Removes the subgraphs' addresses from a supergraph. A stored schema must not decide where requests go, and an address
 * may contain a password.
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
