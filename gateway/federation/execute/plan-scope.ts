import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { VariableDefinitions } from './request-text.ts';
import type { Services } from './services.ts';

/** The inputs of compiling beside the plan. */
export interface PlanScope<Context> {
  readonly types: SupergraphTypes;
  readonly clientVariables: VariableDefinitions;
  readonly services: Services<Context>;
}
