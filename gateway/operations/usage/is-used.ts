import type { GraphQLSchema } from 'graphql';
import { reachableInputs } from './coordinates.ts';
import type { UsedOperation } from './read-usage.ts';

/**
 * Whether operations use a schema coordinate: by naming it, by a part of a type, or possibly, by a variable or a response
 * whose values the document does not show.
 *
 * @param schema the one that the operations were valid for.
 */
export function usageOfCoordinates(
  schema: GraphQLSchema,
): (operation: Pick<UsedOperation, 'coordinates'>, coordinate: string) => boolean {
  const opened = new Map<string, ReadonlySet<string>>();
  /** The input types whose fields may all be used by a variable of the type `name`. */
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
