import { GraphQLError, parse } from 'graphql';
import { z } from 'zod';
import { suggestion } from '../../platform/index.ts';
import type { QueryCollectionMetadata } from './query-collections.ts';
import { mapping, name } from './shapes/index.ts';
import type { IgnoredMetadata } from './unsupported.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

const scope = mapping({ global: z.boolean().default(false), roles: z.array(name).min(1).optional() })
  .refine(({ global, roles }) => !global || roles === undefined, {
    path: ['roles'],
    error: 'roles are for a scope that is not global',
  })
  .refine(({ global, roles }) => global || roles !== undefined, {
    path: ['roles'],
    error: 'expected the roles that may send these operations, or "global: true"',
  });

/** `allow_list.yaml`: collections whose operations are allowed while the allow list is enforced, and for which roles. */
export const allowListShape = z.array(mapping({ collection: name, scope: scope.default({ global: true }) }));

export type AllowListEntry = z.output<typeof allowListShape>[number];

/** Warns about an allow list that is not enforced, as in Hasura. Its author may assume that other operations are rejected. */
export function unenforcedAllowList(
  metadata: { allowList: readonly AllowListEntry[]; place(kind: 'allowList', path: ValuePath): MetadataLocation },
  isEnforced: boolean,
): readonly IgnoredMetadata[] {
  if (isEnforced || metadata.allowList.length === 0) return [];
  return [
    { file: metadata.place('allowList', []).file, what: 'the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true' },
  ];
}

/** Returns the problems of entries: an unknown or repeated collection, or an allowed operation with a syntax error. */
export function allowListProblems(
  entries: readonly AllowListEntry[],
  collections: readonly QueryCollectionMetadata[],
  place: (path: ValuePath) => MetadataLocation,
  collectionPlace: (path: ValuePath) => MetadataLocation,
): readonly MetadataProblem[] {
  const names = entries.map((entry) => entry.collection);
  return names.flatMap((collection, index): readonly MetadataProblem[] => {
    const at = place([index, 'collection']);
    if (names.indexOf(collection) !== index)
      return [{ ...at, message: `the collection "${collection}" is already in the allow list` }];
    const position = collections.findIndex((candidate) => candidate.name === collection);
    if (position < 0)
      return [
        {
          ...at,
          message: `there is no collection "${collection}"${suggestion(
            collection,
            collections.map(({ name }) => name),
          )}`,
        },
      ];
    return (collections[position]?.definition.queries ?? []).flatMap(({ query }, number) => {
      const error = querySyntaxError(query);
      const where = collectionPlace([position, 'definition', 'queries', number, 'query']);
      return error ? [{ ...where, message: `is not valid GraphQL: ${error}` }] : [];
    });
  });
}

function querySyntaxError(query: string): string | undefined {
  try {
    parse(query);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}
