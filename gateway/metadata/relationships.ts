import { suggestion } from '../../platform/index.ts';
import type { ActionsMetadata } from './actions/index.ts';
import type { RemoteSchemaMetadata } from './remote-schemas.ts';
import type { Relationships, WrittenStep } from './shapes/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** A field on the path to the field that resolves a relationship, with its arguments. */
export interface RemoteStep {
  readonly field: string;
  /** A text that begins with `$` refers to a field of the object with the relationship. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A field that a remote schema resolves, with values of the object that has the field. */
export interface RelationshipMetadata {
  readonly name: string;
  /** The remote schema with the type. Undefined for a type of actions. */
  readonly source: string | undefined;
  readonly type: string;
  readonly target: string;
  /** The fields of the type whose values are needed. */
  readonly fields: readonly string[];
  readonly steps: readonly RemoteStep[];
  /** Returns a location in the metadata of the relationship. */
  place(path?: ValuePath): MetadataLocation;
}

/** Returns all relationships. Problems that can be found without a schema are added to `problems`. */
export function relationshipsOf(
  remoteSchemas: readonly RemoteSchemaMetadata[],
  actions: ActionsMetadata,
  place: (kind: 'remoteSchemas' | 'actions', path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): readonly RelationshipMetadata[] {
  const described = (
    list: Relationships,
    source: string | undefined,
    type: string,
    at: (path: ValuePath) => MetadataLocation,
  ) =>
    list.flatMap((one, index): readonly RelationshipMetadata[] => {
      if (!one) return [];
      const { remote_schema: target, lhs_fields: fields, remote_field: written } = one.definition.to_remote_schema;
      const placeOf = (path: ValuePath = []) => at([index, ...path]);
      return [{ name: one.name, source, type, target, fields, steps: stepsOf(written), place: placeOf }];
    });
  const ofRemotes = remoteSchemas.flatMap((remote, index) =>
    remote.remote_relationships.flatMap(({ type_name: type, relationships }, position) =>
      described(relationships, remote.name, type, (path) =>
        place('remoteSchemas', [index, 'remote_relationships', position, 'relationships', ...path]),
      ),
    ),
  );
  const ofActions = actions.custom_types.objects.flatMap((object, index) =>
    described(object.relationships, undefined, object.name, (path) =>
      place('actions', ['custom_types', 'objects', index, 'relationships', ...path]),
    ),
  );
  const all = [...ofRemotes, ...ofActions];
  const targets = new Set(remoteSchemas.map((remote) => remote.name));
  problems.push(...all.flatMap((one, index) => problemsOfRelationship(one, all.slice(0, index), targets)));
  return all;
}

function stepsOf(written: Readonly<Record<string, WrittenStep>>): readonly RemoteStep[] {
  return Object.entries(written).flatMap(([field, step]) => [
    { field, arguments: step.arguments },
    ...(step.field ? stepsOf(step.field) : []),
  ]);
}

const DEFINITION = ['definition', 'to_remote_schema'];

function problemsOfRelationship(
  relationship: RelationshipMetadata,
  before: readonly RelationshipMetadata[],
  targets: ReadonlySet<string>,
): readonly MetadataProblem[] {
  const { name, source, type, target, fields, steps, place } = relationship;
  const problems: MetadataProblem[] = [];
  if (before.some((other) => other.source === source && other.type === type && other.name === name))
    problems.push({ ...place(['name']), message: `"${type}" already has a relationship "${name}"` });
  if (!targets.has(target))
    problems.push({
      ...place([...DEFINITION, 'remote_schema']),
      message: `there is no remote schema "${target}"${suggestion(target, [...targets])}`,
    });
  const known = new Set(fields);
  for (const used of new Set(steps.flatMap((step) => fieldsUsedBy(step.arguments))))
    if (!known.has(used))
      problems.push({
        ...place([...DEFINITION, 'remote_field']),
        message: `"$${used}" is used, and "${used}" is not among the lhs_fields`,
      });
  return problems;
}

/** Returns the field that an argument's value refers to, or undefined for a literal value. */
export function fieldMeant(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith('$') ? value.slice(1) : undefined;
}

function fieldsUsedBy(value: unknown): readonly string[] {
  const field = fieldMeant(value);
  if (field !== undefined) return [field];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(fieldsUsedBy) : [];
}
