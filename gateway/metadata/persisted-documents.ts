import { createHash } from 'node:crypto';
import { parse } from 'graphql';
import { z } from 'zod';
import { readNamedFile } from './named-file.ts';
import { mapping, name } from './shapes/index.ts';
import type { MetadataStore } from './store.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/**
 * `persisted_documents.yaml`, Portico's own: manifests that clients' build tools write, and the roles that may send their
 * documents while the allow list is enforced. Without roles, all roles may.
 */
export const persistedDocumentsShape = z.array(
  mapping({ file: z.string().min(1), roles: z.array(name).min(1).optional() }),
);

export type PersistedDocumentsEntry = z.output<typeof persistedDocumentsShape>[number];

/** A document that clients send by id. */
export interface PersistedDocument {
  /** The id in the file. */
  readonly id: string;
  /** The SHA-256 of the text, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly text: string;
}

/** The documents of one file. */
export interface PersistedManifest {
  readonly file: string;
  /** Undefined means all roles. */
  readonly roles: readonly string[] | undefined;
  readonly documents: readonly PersistedDocument[];
}

const MAX_PERSISTED_DOCUMENTS = 10_000;
/** The most problems of a file that are reported. */
const MAX_TOLD = 10;

/** Apollo's manifest, written by `generate-persisted-query-manifest` and by the Kotlin and iOS clients. */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string(), name: z.string().optional() })),
});

/** `persisted_queries.json` of Relay's compiler: documents by id. */
const relayManifest = z.record(z.string(), z.string());

/** Reads the files that the entries name. Problems are added to the problems. */
export function readManifests(
  entries: readonly PersistedDocumentsEntry[],
  store: MetadataStore,
  place: (path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): readonly PersistedManifest[] {
  const textsById = new Map<string, string>();
  const manifests: PersistedManifest[] = [];
  let count = 0;
  entries.forEach(({ file, roles }, index) => {
    const manifest = readNamedFile(store, file, place([index, 'file']), problems);
    if (!manifest) return;
    const { path, content } = manifest;
    const documents = documentsIn(content);
    count += typeof documents === 'string' ? 0 : documents.length;
    if (count > MAX_PERSISTED_DOCUMENTS) return;
    const found = typeof documents === 'string' ? [documents] : documentProblems(documents, textsById);
    problems.push(...firstOf(found).map((message) => ({ file: path, message })));
    if (typeof documents !== 'string') manifests.push({ file: path, roles, documents });
  });
  if (count > MAX_PERSISTED_DOCUMENTS)
    problems.push({
      ...place([]),
      message: `there are ${count} persisted documents; ${MAX_PERSISTED_DOCUMENTS} are supported`,
    });
  return manifests;
}

/** Returns the documents in a file's content, or the problem with it. */
function documentsIn(content: string): readonly PersistedDocument[] | string {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
  if (typeof value === 'object' && value !== null && 'format' in value) {
    const parsed = apolloManifest.safeParse(value);
    if (parsed.success) return parsed.data.operations.map(({ id, body }) => documentOf(id, body));
    const [issue] = parsed.error.issues;
    return `is not an Apollo manifest of version 1: ${issue?.path.join('.')}: ${issue?.message}`;
  }
  const parsed = relayManifest.safeParse(value);
  if (parsed.success) return Object.entries(parsed.data).map(([id, text]) => documentOf(id, text));
  return `is neither Apollo's persisted query manifest nor Relay's persisted_queries.json`;
}

function documentOf(id: string, text: string): PersistedDocument {
  return { id, text, sha256: createHash('sha256').update(text).digest('hex') };
}

/** @param textsById the documents of all files so far, by each of their ids. */
function documentProblems(documents: readonly PersistedDocument[], textsById: Map<string, string>): readonly string[] {
  const problems: string[] = [];
  for (const { id, sha256, text } of documents) {
    const shown = JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
    if (!isDocumentId(id)) problems.push(`the id ${shown} is not valid: expected 1 to 256 printable characters`);
    else if (hashIn(id) !== undefined && hashIn(id) !== sha256)
      problems.push(`the id ${shown} is not the SHA-256 of its document: one of the two was changed`);
    else {
      const error = documentSyntaxError(text);
      if (error !== undefined) problems.push(`the document ${shown} is not valid GraphQL: ${error}`);
    }
    for (const key of new Set([hashIn(id) ?? id, sha256])) {
      const known = textsById.get(key);
      if (known !== undefined && known !== text) problems.push(`the id ${shown} stands for two different documents`);
      textsById.set(key, text);
    }
  }
  return problems;
}

/** Returns whether a text is a valid document id. */
function isDocumentId(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text);
}

/** Returns the SHA-256 in an id, with or without the prefix of GraphQL over HTTP. Undefined if the id is not a hash. */
function hashIn(id: string): string | undefined {
  return /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)?.[1]?.toLowerCase();
}

function documentSyntaxError(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function firstOf(problems: readonly string[]): readonly string[] {
  if (problems.length <= MAX_TOLD) return problems;
  return [...problems.slice(0, MAX_TOLD), `and ${problems.length - MAX_TOLD} more problems`];
}
