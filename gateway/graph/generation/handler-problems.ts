import { ADMIN_ROLE } from '../../access/session/index.ts';
import { type Metadata, type MetadataProblem, type OperationHandler, operationsOf } from '../../metadata/index.ts';
import type { Generation } from './generation.ts';
import { operationErrors } from './saved-operations.ts';

/** How many errors of an operation a problem quotes. */
const QUOTED = 3;

/**
 * Reports saved operations that a handler cannot run: as the role that the metadata names, or as a role that may call the
 * action. Returns none while a source is missing, because its fields are missing too.
 */
export function handlerProblems(generation: Generation): readonly MetadataProblem[] {
  const { metadata, missing, conflicts } = generation;
  if (missing.length + conflicts.length > 0) return [];
  const { actions, cronTriggers, deliveries } = metadata.operationHandlers;
  const handlers = [actions, cronTriggers, deliveries].flatMap((ofKind) => [...ofKind.values()]);
  return handlers.flatMap((handler) =>
    operationsOf(handler).flatMap(({ role: named, saved: { collection, name, query }, path }) => {
      const roles = named === undefined ? callersOf(handler, metadata) : [named];
      return roles.flatMap((role) => {
        const graph = generation.graphIfValid(role);
        const errors = graph ? operationErrors(query, graph.accepted) : [`its graph is not valid`];
        if (errors.length === 0) return [];
        return [
          {
            ...metadata.place(handler.kind, path),
            message: `the role "${role}" cannot run "${collection}/${name}" for "${handler.name}": ${errors.slice(0, QUOTED).join('; ')}`,
          },
        ];
      });
    }),
  );
}

/** Returns the roles that may call an action. */
function callersOf({ name }: OperationHandler, { actions }: Metadata): readonly string[] {
  const permissions = actions.actions.find((action) => action.name === name)?.permissions ?? [];
  return permissions.length > 0 ? permissions.map(({ role }) => role) : [ADMIN_ROLE];
}
