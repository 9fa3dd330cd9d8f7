import { specifiedScalarTypes } from 'graphql';
import { type Customization, rename } from '../customization/index.ts';
import type { SourceProblem } from '../source.ts';
import type { Coordinates } from './schema-coordinates.ts';

/** The names in a subgraph and their customization. */
export interface Customized {
  readonly name: string;
  readonly customization: Customization | null | undefined;
  readonly coordinates: Coordinates;
}

const OWN_SCALARS = specifiedScalarTypes.map(({ name }) => name);

const ROOT_TYPE_NAMES = new Set(['Query', 'Mutation', 'Subscription']);

/**
 * Merges the customizations of subgraphs into one customization of their common graph. A type or field that several
 * subgraphs define has one name there, so their customizations must agree.
 *
 * @returns the problems of each subgraph instead if there are any.
 */
export function groupCustomization(
  members: readonly Customized[],
): { customization: Customization | undefined } | { problems: ReadonlyMap<string, readonly SourceProblem[]> } {
  if (!members.some(({ customization }) => customization)) return { customization: undefined };
  const problems = new Map<string, SourceProblem[]>();
  const report: AddProblem = (member, message, ...key) =>
    problems.set(member, [...(problems.get(member) ?? []), { message, path: ['definition', 'customization', ...key] }]);
  const namespace = agreedNamespace(members, report);
  for (const { name, customization } of members)
    for (const type of OWN_SCALARS.filter((one) => (customization?.type_names?.mapping[one] ?? one) !== one))
      report(name, `"${type}" keeps its name in composed services`, 'type_names', 'mapping', type);
  const { types, fields } = wantedNames(members);
  checkAgreement('type', types, (member, message) => report(member, message, 'type_names'));
  checkAgreement('field', fields, (member, message) => report(member, message, 'field_names'));
  if (problems.size > 0) return { problems };
  return {
    customization: {
      root_fields_namespace: namespace ?? null,
      type_names: { prefix: '', suffix: '', mapping: agreedNames(types) },
      field_names: byType(fields),
    },
  };
}

/** Adds a problem of a subgraph. @param key the path within its customization */
type AddProblem = (member: string, message: string, ...key: string[]) => void;

function agreedNamespace(members: readonly Customized[], report: AddProblem): string | undefined {
  const namespaces = new Set(members.map(({ customization }) => customization?.root_fields_namespace ?? undefined));
  if (namespaces.size > 1)
    for (const { name, customization } of members)
      if (customization?.root_fields_namespace != null)
        report(
          name,
          'composed subgraphs share their root types: all must have the same namespace',
          'root_fields_namespace',
        );
  const [namespace] = namespaces;
  return namespace;
}

/** The names that customizations give to types (by name) and fields (by `Type.field`). */
function wantedNames(members: readonly Customized[]): { types: Map<string, Wanted>; fields: Map<string, Wanted> } {
  const types = new Map<string, Wanted>();
  const fields = new Map<string, Wanted>();
  for (const { name: member, customization, coordinates } of members)
    for (const coordinate of coordinates) {
      const [type = '', field] = coordinate.split('.');
      if (coordinate.includes('(') || coordinate.includes('|')) continue;
      if (field === undefined) {
        const renaming = ROOT_TYPE_NAMES.has(type) ? undefined : customization?.type_names;
        want(types, type, member, renaming ? rename(renaming, type) : type);
      } else {
        const renaming = customization?.field_names.find((one) => one.parent_type === type);
        want(fields, coordinate, member, renaming ? rename(renaming, field) : field);
      }
    }
  return { types, fields };
}

/** Reports each subgraph that renames an element which another subgraph names differently. */
function checkAgreement(kind: 'type' | 'field', names: ReadonlyMap<string, Wanted>, report: AddProblem): void {
  for (const [coordinate, { original, by }] of names) {
    if (new Set(by.values()).size < 2) continue;
    for (const [member, name] of by) {
      if (name === original) continue;
      const others = [...by.keys()].filter((other) => other !== member).join('", "');
      report(member, `the ${kind} "${coordinate}" also belongs to "${others}": all must use the same name for it`);
    }
  }
}

/** The name that each subgraph's customization gives an element. */
interface Wanted {
  readonly original: string;
  readonly by: Map<string, string>;
}

function want(all: Map<string, Wanted>, coordinate: string, member: string, name: string): void {
  const wanted = all.get(coordinate) ?? { original: coordinate.split('.').at(-1) ?? '', by: new Map<string, string>() };
  wanted.by.set(member, name);
  all.set(coordinate, wanted);
}

function agreedNames(all: ReadonlyMap<string, Wanted>): Record<string, string> {
  const names = [...all].flatMap(([key, { original, by }]) => {
    const [name = original] = by.values();
    return name === original ? [] : [[key, name] as const];
  });
  return Object.fromEntries(names);
}

function byType(fields: ReadonlyMap<string, Wanted>): Customization['field_names'] {
  const types = new Map<string, Record<string, string>>();
  for (const [coordinate, name] of Object.entries(agreedNames(fields))) {
    const [type = '', field = ''] = coordinate.split('.');
    types.set(type, { ...types.get(type), [field]: name });
  }
  return [...types].map(([parent_type, mapping]) => ({ parent_type, prefix: '', suffix: '', mapping }));
}
