import type { GraphQLSchema } from 'graphql';
import { reachableInputs } from './coordinates.ts';
import type { UsedOperation } from './read-usage.ts';

/**
 * Returns whether operations use a schema coordinate. They use it by name, through a part of a type, or possibly through a
 * variable or a response whose values the document does not show.
 *
 * @param schema for which the operations were valid.
 */
export function usageOfCoordinates(
  schema: GraphQLSchema,
): (operation: Pick<UsedOperation, 'coordinates'>, coordinate: string) => boolean {
  const opened = new Map<string, ReadonlySet<string>>();
  /** Returns the input types whose fields a variable of the type `name` may use. */
  const openedBy = (name: string) => {
    const known = opened.get(name) ?? reachableInputs(schema, name);
    opened.set(name, known);
    return known;
  };
  return ({ coordinates }, coordinate) => {
    if (coordinates.has(coordinate)) return true;
    const [type = '', part] = coordinate.split('.');
    for (const used of coordinates) {
      if (part === undefined && used.startsWith(`${type}.`)) return true;
      if (used.endsWith('.*') && openedBy(used.slice(0, -2)).has(type)) return true;
    }
    return false;
  };
}
