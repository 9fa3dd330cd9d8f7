import { operationErrors, type RoleGraph } from '../../graph/index.ts';
import type { MetadataProblem, PersistedManifest } from '../../metadata/index.ts';

/** The most documents of one file that are named. Further ones are only counted. */
const MAX_NAMED = 10;

/** Returns the persisted documents that none of their allowed roles could run. */
export function brokenDocuments(
  manifests: readonly PersistedManifest[],
  graphs: ReadonlyMap<string, RoleGraph>,
): readonly MetadataProblem[] {
  return manifests.flatMap(({ file, roles, documents }): readonly MetadataProblem[] => {
    const meant = roles ?? [...graphs.keys()];
    const broken = documents.flatMap(({ id, text }) => {
      const errors = errorsFor(text, meant, graphs);
      return errors
        ? [{ file, message: `the document "${id}" is not valid for ${whom(roles)}: ${errors.join('; ')}` }]
        : [];
    });
    if (broken.length <= MAX_NAMED) return broken;
    const more = broken.length - MAX_NAMED;
    return [
      ...broken.slice(0, MAX_NAMED),
      { file, message: `${more} more documents are not valid for ${whom(roles)}` },
    ];
  });
}

function whom(roles: readonly string[] | undefined): string {
  return roles ? `any of the roles ${roles.join(', ')}` : 'any role';
}

/** Returns the errors of a document for the first role, or undefined if it is valid for one of the roles. */
function errorsFor(
  text: string,
  roles: readonly string[],
  graphs: ReadonlyMap<string, RoleGraph>,
): readonly string[] | undefined {
  let first: readonly string[] | undefined;
  for (const role of roles) {
    const graph = graphs.get(role);
    const errors = graph ? operationErrors(text, graph.accepted) : [`no metadata names the role "${role}"`];
    if (errors.length === 0) return undefined;
    first ??= errors;
  }
  return first;
}
