import type { ExecutionResult } from 'graphql';
import { PassthroughBody } from '../upstream/index.ts';
import type { OperationAnswer } from './compiled-operation.ts';
import { invalidJsonResponse } from './errors.ts';

/** The result of a source's answer. @param service its name, for an answer that is not JSON */
export function resultOfAnswer(answer: OperationAnswer, service: string): ExecutionResult {
  if (!(answer instanceof PassthroughBody)) return answer;
  try {
    return answer.toJson() as ExecutionResult;
  } catch {
    return { data: null, errors: [invalidJsonResponse(service)] };
  }
}
