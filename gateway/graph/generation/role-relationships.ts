import type { Metadata, MetadataLocation, ValuePath } from '../../metadata/index.ts';
import type { Source, Subschema, TypeField } from '../../sources/index.ts';
import {
  type Relationship,
  type RelationshipProblem,
  resolveRelationship,
  resolveTypeField,
} from '../relationships/index.ts';
import { findSource } from './find-source.ts';

/** A relationship, or a field that an action adds to a type, which does not fit the sources. */
export interface BrokenRelationship {
  readonly type: string;
  readonly name: string;
  /** The part of the metadata that describes it, for messages. */
  readonly described: string;
  readonly problems: readonly RelationshipProblem[];
  /** Whether any source may have the type, including one that is not available. */
  readonly isForAnySource: boolean;
  place(path: ValuePath): MetadataLocation;
}

/** The relationships between the types that a role sees. */
export interface RoleRelationships {
  readonly relationships: readonly Relationship[];
  readonly broken: readonly BrokenRelationship[];
}

/**
 * Resolves the relationships of a role, and the fields that actions add to types. The role must see the key fields and the
 * target.
 */
export function roleRelationships(metadata: Metadata, sources: readonly Source[], role: string): RoleRelationships {
  const relationships: Relationship[] = [];
  const broken: BrokenRelationship[] = [];
  for (const described of metadata.relationships) {
    const source = findSource(sources, described.source)?.subschemaFor(role);
    const target = findSource(sources, described.target)?.subschemaFor(role);
    const resolved = source && target && resolveRelationship(described, source, target);
    if (!resolved) continue;
    const { type, name, place } = described;
    if ('steps' in resolved) relationships.push(resolved);
    else {
      const { problems } = resolved;
      broken.push({ type, name, described: `relationship "${name}"`, problems, isForAnySource: false, place });
    }
  }
  const actions = findSource(sources, undefined)?.subschemaFor(role);
  if (!actions?.typeFields) return { relationships, broken };
  const parts: readonly Subschema[] = sources.flatMap((source) => source.subschemaFor(role) ?? []);
  for (const field of actions.typeFields) {
    const resolved = resolveTypeField(field, actions, parts, relationships);
    if ('steps' in resolved) relationships.push(resolved);
    else broken.push(brokenField(field, resolved.problems, metadata));
  }
  return { relationships, broken };
}

function brokenField(
  { type, name, action }: TypeField,
  problems: readonly RelationshipProblem[],
  { actions, place }: Metadata,
): BrokenRelationship {
  const index = actions.actions.findIndex((one) => one.name === action);
  return {
    type,
    name,
    described: `action "${action}"`,
    problems,
    isForAnySource: true,
    place: (path) => place('actions', ['actions', index, 'definition', 'field', ...path]),
  };
}
