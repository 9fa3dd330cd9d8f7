import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare } from '../sources/index.ts';
import { rootFieldsOf } from './documents.ts';
import { unforeseenError } from './errors.ts';
import type { Plan } from './plan.ts';
import { inClientNames } from './root-type-names.ts';
import { fragmentsOf } from './sub-operation.ts';

/** Has several sources answer together: whatever an operation holds, this can run it. */
export function stitchedPlan(whole: OperationToPrepare, graph: RoleGraph): Plan {
  const { document, operation } = whole;
  // Whoever asks for the schema is shown the one that documents are validated against.
  const isAboutSchema = rootFieldsOf(operation, fragmentsOf(document)).some(
    ({ name }) => name === '__schema' || name === '__type',
  );
  const run = graph.stitched.prepare(whole, isAboutSchema ? inClientNames(whole, graph).document : undefined);
  return {
    kind: 'stitch',
    run: (variables, call, done) => {
      run(variables, call).then(done, (error: unknown) => done({ data: null, errors: [unforeseenError(error)] }));
    },
  };
}
