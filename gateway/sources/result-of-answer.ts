import type { ExecutionResult } from 'graphql';
import { PassthroughBody } from '../upstream/index.ts';
import type { OperationAnswer } from './compiled-operation.ts';
import { invalidJsonResponse } from './errors.ts';

/**
 * Parses the result of a source if necessary. @param service the source's name, for an error if the body is not JSON
 */
export function resultOfAnswer(answer: OperationAnswer, service: string): ExecutionResult {
  if (!(answer instanceof PassthroughBody)) return answer;
  try {
    return answer.toJson() as ExecutionResult;
  } catch {
    return { data: null, errors: [invalidJsonResponse(service)] };
  }
}
