import type { RoleGraph } from '../../graph/index.ts';
import type { OperationDocument } from '../../sources/index.ts';
import { fragmentsOf, isIntrospectionField } from '../../syntax/index.ts';
import { rootFieldsOf } from '../document/index.ts';
import { unforeseenError } from '../response/index.ts';
import type { Plan } from './operation-plan.ts';
import { inClientNames } from './root-type-names.ts';

/** Executes the stitched schema over several sources. It can run every operation. */
export function stitchedPlan(whole: OperationDocument, graph: RoleGraph): Plan {
  const { document, operation } = whole;
  // Introspection shows the schema that documents are validated against.
  const isAboutSchema = rootFieldsOf(operation, fragmentsOf(document)).some(({ name }) => isIntrospectionField(name));
  const run = graph.stitched.compile(whole, isAboutSchema ? inClientNames(whole, graph).document : undefined);
  return {
    kind: 'stitch',
    run: (variables, context, done) => {
      run(variables, context).then(done, (error: unknown) => done({ data: null, errors: [unforeseenError(error)] }));
    },
  };
}
