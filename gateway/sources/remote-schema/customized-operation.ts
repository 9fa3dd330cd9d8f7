import { type ExecutionResult, type GraphQLDirective, Kind, type OperationDefinitionNode } from 'graphql';
import { PassthroughBody } from '../../upstream/index.ts';
import type { OperationAnswer, OperationDocument } from '../compiled-operation.ts';
import type { CustomizedSchema } from '../customization/index.ts';
import { renameTypesAt, type TypeNamePlaces, typeNamePlaces } from '../customization/index.ts';
import { invalidJsonResponse } from '../errors.ts';
import type { Subschema } from '../source.ts';
import { mapEvents } from '../source-events.ts';
import { inRemoteNames } from './customized-executor.ts';
import { compileIncremental } from './incremental-operation.ts';
import { compileRemoteSubscription } from './remote-events.ts';
import { compileForward } from './remote-operation.ts';
import type { RemoteTarget } from './remote-request.ts';

/** The parts of a remote schema that do not depend on customized names. */
export interface RemoteAbilities {
  readonly target: RemoteTarget;
  /** Whether it takes files. */
  readonly takesFiles: boolean;
  /** Which of `@defer` and `@stream` it supports. */
  readonly directives: readonly GraphQLDirective[];
}

/** How a source runs operations that are all its own. */
export type SourceOperations = Required<Pick<Subschema, 'compile' | 'compileSubscription' | 'incremental'>>;

/**
 * An operation in the remote's names, with the positions of type names in its responses that have other names in the
 * graph.
 */
interface RemoteOperation extends OperationDocument {
  readonly places: TypeNamePlaces;
}

/**
 * Compiles operations in the graph's names for a remote schema with other names. Names of fields become aliases in the
 * text; only responses that contain names of types are parsed. Undefined where the response has another shape than the
 * operation: the remote is in a namespace, or a response key is a type name in some objects and another string in
 * others.
 */
export function customizedOperations(
  { target, takesFiles, directives }: RemoteAbilities,
  customized: CustomizedSchema,
): SourceOperations {
  const graphNames = new Map([...customized.types].map(([ours, theirs]) => [theirs, ours]));
  const rename = ({ data }: ExecutionResult, places: TypeNamePlaces) => renameTypesAt(data, places, graphNames);
  return {
    compile: (written) => {
      const operation = remoteOperation(written, customized);
      const prepared = operation && compileForward(target, operation, takesFiles);
      if (!prepared || operation.places.size === 0) return prepared;
      return {
        ...prepared,
        run: (variables, context, done) =>
          prepared.run(variables, context, (answer) => {
            const result = parseAnswer(answer, target.name);
            rename(result, operation.places);
            done(result);
          }),
      };
    },
    compileSubscription: (written) => {
      const operation = remoteOperation(written, customized);
      const prepared = operation && compileRemoteSubscription(target, operation);
      if (!prepared || operation.places.size === 0) return prepared;
      return {
        open: (variables, context) =>
          mapEvents(prepared.open(variables, context), (event) => {
            rename(event, operation.places);
            return event;
          }),
      };
    },
    incremental: {
      directives,
      compile: (written) => {
        const operation = remoteOperation(written, customized);
        // The two forms of payloads name their position in the response differently.
        return operation && operation.places.size === 0 ? compileIncremental(target, operation) : undefined;
      },
    },
  };
}

const NOWHERE: TypeNamePlaces = new Map();

function remoteOperation({ document }: OperationDocument, customized: CustomizedSchema): RemoteOperation | undefined {
  if (customized.namespace !== undefined) return undefined;
  const renamed = inRemoteNames(document, customized);
  const operation = renamed.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const places = customized.types.size === 0 ? NOWHERE : typeNamePlaces(renamed);
  return operation && places && { document: renamed, operation: operation as OperationDefinitionNode, places };
}

function parseAnswer(answer: OperationAnswer, service: string): ExecutionResult {
  if (!(answer instanceof PassthroughBody)) return answer;
  try {
    return answer.toJson() as ExecutionResult;
  } catch {
    return { data: null, errors: [invalidJsonResponse(service)] };
  }
}
