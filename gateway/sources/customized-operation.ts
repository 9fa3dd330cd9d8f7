import { BREAK, type DocumentNode, type ExecutionResult, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { CustomizedSchema } from './customization.ts';
import { inRemoteNames, renameTypes } from './customized-executor.ts';
import type { OperationAnswer, OperationToPrepare, PreparedOperation } from './prepared-operation.ts';
import { isRelayed, wholeBytes } from './relayed-bytes.ts';
import { prepareForward } from './remote-operation.ts';
import type { RemoteTarget } from './remote-request.ts';
import { REMOTE_SCHEMA_ERROR } from './remote-response.ts';
import { sourceError } from './source-error.ts';

/**
 * Makes an operation in the graph's names ready to be sent to a remote schema that has other ones. Names of fields are
 * written into the text as aliases; only answers that tell names of types are parsed.
 *
 * @param takesFiles whether the remote schema takes files.
 * @returns undefined where the answer has another form than the operation: the remote stands in a namespace, or names of
 * types under other keys, where they cannot be told from texts.
 */
export function prepareCustomized(
  target: RemoteTarget,
  customized: CustomizedSchema,
  { document }: OperationToPrepare,
  takesFiles: boolean,
): PreparedOperation | undefined {
  const asked = typeNamesIn(document);
  if (customized.namespace !== undefined || asked === 'under other keys') return undefined;
  const renamed = inRemoteNames(document, customized);
  const operation = renamed.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (!operation) return undefined;
  const toPrepare = { document: renamed, operation: operation as OperationDefinitionNode };
  const prepared = prepareForward(target, toPrepare, takesFiles);
  if (customized.types.size === 0 || asked === 'nowhere') return prepared;
  const graphNames = new Map([...customized.types].map(([ours, theirs]) => [theirs, ours]));
  return {
    ...prepared,
    run: (variables, call, done) =>
      prepared.run(variables, call, (answer) => {
        const result = read(answer, target.name);
        renameTypes(result.data, graphNames);
        done(result);
      }),
  };
}

function typeNamesIn(document: DocumentNode): 'nowhere' | 'plainly' | 'under other keys' {
  let found: ReturnType<typeof typeNamesIn> = 'nowhere';
  visit(document, {
    Field: ({ name, alias }) => {
      const key = alias ?? name;
      if (name.value !== '__typename' && key.value !== '__typename') return undefined;
      found = name.value === key.value ? 'plainly' : 'under other keys';
      return found === 'plainly' ? undefined : BREAK;
    },
  });
  return found;
}

function read(answer: OperationAnswer, service: string): ExecutionResult {
  if (!isRelayed(answer)) return answer;
  try {
    return JSON.parse(wholeBytes(answer).toString('utf8'));
  } catch {
    const error = sourceError(service, REMOTE_SCHEMA_ERROR, 'Remote server response is not valid JSON');
    return { data: null, errors: [error] };
  }
}
