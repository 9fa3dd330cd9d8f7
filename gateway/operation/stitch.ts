import { execute } from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { OperationToPrepare } from '../sources/index.ts';
import { documentsAtRun } from './document-at-run.ts';
import { rootFieldsOf } from './documents.ts';
import { unforeseenError } from './errors.ts';
import type { Plan } from './plan.ts';
import { fragmentsOf } from './sub-operation.ts';

/** Executes the stitched schema: whatever an operation holds, this can run it. */
export function stitchedPlan({ document, operation }: OperationToPrepare, graph: RoleGraph): Plan {
  // Whoever asks for the schema is shown the one that documents are validated against.
  const isAboutSchema = rootFieldsOf(operation, fragmentsOf(document)).some(
    ({ name }) => name === '__schema' || name === '__type',
  );
  const schema = isAboutSchema ? graph.schema : graph.executable;
  const documentFor = documentsAtRun({ document, operation }, graph.schema);
  return {
    kind: 'stitch',
    run: (variables, call, done) => {
      const execution = async () =>
        execute({ schema, document: documentFor(variables), variableValues: variables, contextValue: call });
      execution().then(done, (error: unknown) => done({ data: null, errors: [unforeseenError(error)] }));
    },
  };
}
