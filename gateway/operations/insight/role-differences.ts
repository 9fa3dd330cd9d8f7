import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import type { Sliced } from '../../../platform/index.ts';

/** A schema coordinate that only one of two roles has, or that has different types. */
export interface RoleDifference {
  readonly coordinate: string;
  /** The type or the kind of element. Null if the role does not have it. */
  readonly first: string | null;
  readonly second: string | null;
}

/** Returns the differences between two roles' views by coordinate. Members of a type that only one role has are not listed. */
export function* roleDifferences(first: GraphQLSchema, second: GraphQLSchema): Sliced<readonly RoleDifference[]> {
  if (first === second) return [];
  const found: RoleDifference[] = [];
  const names = [...new Set([...Object.keys(first.getTypeMap()), ...Object.keys(second.getTypeMap())])].sort();
  for (const name of names) {
    if (name.startsWith('__')) continue;
    const [one, other] = [printedCoordinates(first, name), printedCoordinates(second, name)];
    const whole = { coordinate: name, first: one?.get(name) ?? null, second: other?.get(name) ?? null };
    if (!one || !other) found.push(whole);
    else
      for (const coordinate of new Set([...one.keys(), ...other.keys()])) {
        const [had, has] = [one.get(coordinate) ?? null, other.get(coordinate) ?? null];
        if (had !== has) found.push({ coordinate, first: had, second: has });
      }
    yield;
  }
  return found;
}

/** Returns a type and its members with their types, or undefined if the type does not exist. */
function printedCoordinates(schema: GraphQLSchema, name: string): ReadonlyMap<string, string> | undefined {
  const type = schema.getType(name);
  if (!type) return undefined;
  const found = new Map<string, string>();
  if (isObjectType(type) || isInterfaceType(type)) {
    found.set(name, isObjectType(type) ? 'type' : 'interface');
    for (const field of Object.values(type.getFields())) {
      found.set(`${name}.${field.name}`, String(field.type));
      for (const one of field.args) found.set(`${name}.${field.name}(${one.name}:)`, String(one.type));
    }
  } else if (isInputObjectType(type)) {
    found.set(name, 'input');
    for (const field of Object.values(type.getFields())) found.set(`${name}.${field.name}`, String(field.type));
  } else if (isEnumType(type)) {
    found.set(name, 'enum');
    for (const value of type.getValues()) found.set(`${name}.${value.name}`, 'value');
  } else if (isUnionType(type)) {
    found.set(name, 'union');
    for (const member of type.getTypes()) found.set(`${name}|${member.name}`, 'member');
  } else found.set(name, 'scalar');
  return found;
}
