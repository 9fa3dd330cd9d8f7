import { type ExecutionResult, type GraphQLDirective, Kind, type OperationDefinitionNode } from 'graphql';
import type { CustomizedSchema } from './customization.ts';
import { inRemoteNames } from './customized-executor.ts';
import type { OperationAnswer, OperationToPrepare } from './prepared-operation.ts';
import { isRelayed, wholeBytes } from './relayed-bytes.ts';
import { prepareEvents } from './remote-events.ts';
import { prepareForward } from './remote-operation.ts';
import { prepareParts } from './remote-parts.ts';
import type { RemoteTarget } from './remote-request.ts';
import { REMOTE_SCHEMA_ERROR } from './remote-response.ts';
import type { Subschema } from './source.ts';
import { sourceError } from './source-error.ts';
import { mapEvents } from './source-events.ts';
import { renameTypesAt, type TypeNamePlaces, typeNamePlaces } from './type-names.ts';

/** What of a remote schema does not depend on the names that it has. */
export interface RemoteAbilities {
  readonly target: RemoteTarget;
  /** Whether it takes files. */
  readonly takesFiles: boolean;
  /** Those of `@defer` and `@stream` that it knows. */
  readonly directives: readonly GraphQLDirective[];
}

/** How a source runs operations that are all its own. */
export type SourceOperations = Required<Pick<Subschema, 'prepare' | 'prepareSubscription' | 'parts'>>;

/** An operation in the remote's names, and where its answers tell names of types that the graph has others for. */
interface RemoteOperation extends OperationToPrepare {
  readonly places: TypeNamePlaces;
}

/**
 * Makes operations in the graph's names ready to be sent to a remote schema that has other ones. Names of fields are
 * written into the text as aliases; only answers that tell names of types are parsed. Undefined where the answer has
 * another form than the operation: the remote stands in a namespace, or a key is the name of a type here and a text there.
 */
export function customizedOperations(
  { target, takesFiles, directives }: RemoteAbilities,
  customized: CustomizedSchema,
): SourceOperations {
  const graphNames = new Map([...customized.types].map(([ours, theirs]) => [theirs, ours]));
  const rename = ({ data }: ExecutionResult, places: TypeNamePlaces) => renameTypesAt(data, places, graphNames);
  return {
    prepare: (written) => {
      const operation = remoteOperation(written, customized);
      const prepared = operation && prepareForward(target, operation, takesFiles);
      if (!prepared || operation.places.size === 0) return prepared;
      return {
        ...prepared,
        run: (variables, call, done) =>
          prepared.run(variables, call, (answer) => {
            const result = read(answer, target.name);
            rename(result, operation.places);
            done(result);
          }),
      };
    },
    prepareSubscription: (written) => {
      const operation = remoteOperation(written, customized);
      const prepared = operation && prepareEvents(target, operation);
      if (!prepared || operation.places.size === 0) return prepared;
      return {
        open: (variables, call) =>
          mapEvents(prepared.open(variables, call), (event) => {
            rename(event, operation.places);
            return event;
          }),
      };
    },
    parts: {
      directives,
      prepare: (written) => {
        const operation = remoteOperation(written, customized);
        // Where in the whole answer a part belongs is told in ways that differ.
        return operation && operation.places.size === 0 ? prepareParts(target, operation) : undefined;
      },
    },
  };
}

const NOWHERE: TypeNamePlaces = new Map();

function remoteOperation({ document }: OperationToPrepare, customized: CustomizedSchema): RemoteOperation | undefined {
  if (customized.namespace !== undefined) return undefined;
  const renamed = inRemoteNames(document, customized);
  const operation = renamed.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const places = customized.types.size === 0 ? NOWHERE : typeNamePlaces(renamed);
  return operation && places && { document: renamed, operation: operation as OperationDefinitionNode, places };
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
