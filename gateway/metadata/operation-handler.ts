import { Kind, type OperationDefinitionNode } from 'graphql';
import { suggestion } from '../../platform/index.ts';
import type { Template } from '../webhooks/kriti/index.ts';
import type { FailStepMetadata } from './actions/index.ts';
import type { SavedOperation } from './references.ts';
import type { ValuePath } from './yaml/index.ts';

/** A saved operation that a handler runs. */
export interface HandlerOperation {
  readonly saved: SavedOperation;
  /** The template of the variables. Undefined if the operation gets none. */
  readonly variables: Template | undefined;
  /** The role that runs the operation. Undefined for the caller's role. */
  readonly role: string | undefined;
  /** The response key of its single root field. Undefined if there are several, or a fragment. */
  readonly resultKey: string | undefined;
  /** Its path in the section of its handler. */
  readonly path: ValuePath;
}

/** A mutation that undoes a step. */
export interface Compensation extends HandlerOperation {
  /** The template of the condition. Undefined if the step always has to be undone. */
  readonly when: Template | undefined;
}

/** A step that runs a saved operation. */
export interface OperationStep extends HandlerOperation {
  readonly name: string;
  /** The template of the condition. Undefined if the step always runs. */
  readonly when: Template | undefined;
  /** The mutation that undoes the step if the chain fails later. Undefined if nothing undoes it. */
  readonly compensation: Compensation | undefined;
}

/** A step that ends the chain with an error if its condition holds. */
export type FailStep = FailStepMetadata;

/** The handler of an action, a cron trigger or a subscription that runs saved operations in place of a webhook. */
export interface OperationHandler {
  readonly kind: 'actions' | 'cronTriggers' | 'deliveries';
  /** The name of the action, the cron trigger or the subscription. */
  readonly name: string;
  /** Its path in its section. */
  readonly path: ValuePath;
  /** A single operation is one step. */
  readonly steps: readonly (OperationStep | FailStep)[];
  readonly isChain: boolean;
  /** The template of a chain's output. */
  readonly response: Template | undefined;
  /** The role of operations without a role of their own. Always set for work without a caller. */
  readonly role: string | undefined;
  /** The session variables of work without a caller. */
  readonly sessionVariables: Readonly<Record<string, string>>;
}

/** The operation handlers of the metadata by the name of what they handle. */
export interface OperationHandlers {
  readonly actions: ReadonlyMap<string, OperationHandler>;
  readonly cronTriggers: ReadonlyMap<string, OperationHandler>;
  readonly deliveries: ReadonlyMap<string, OperationHandler>;
}

export interface HandlerLimits {
  /** The most steps of a chain. */
  readonly maxSteps: number;
  /** How deep handlers may call actions whose handlers run operations themselves. */
  readonly maxDepth: number;
}

export const DEFAULT_HANDLER_LIMITS: HandlerLimits = { maxSteps: 20, maxDepth: 5 };

/** Returns the operations of a handler, those of compensations included. */
export function operationsOf({ steps }: Pick<OperationHandler, 'steps'>): readonly HandlerOperation[] {
  return steps.flatMap((step) => {
    if ('fail' in step) return [];
    return step.compensation ? [step, step.compensation] : [step];
  });
}

/** Compares the variables of an operation with the keys of a template, if the template fixes them. */
export function variableProblems(
  { name, operation: { variableDefinitions = [] } }: SavedOperation,
  template: Template | undefined,
): readonly { readonly message: string; readonly key: string }[] {
  const given = template ? template.keys : [];
  if (!given) return [];
  const declared = variableDefinitions.map(({ variable }) => variable.name.value);
  const key = template ? 'variables' : 'operation';
  const missing = variableDefinitions.filter(
    ({ variable, type, defaultValue }) =>
      type.kind === Kind.NON_NULL_TYPE && !defaultValue && !given.includes(variable.name.value),
  );
  return [
    ...missing.map(({ variable }) => ({
      key,
      message: `the operation "${name}" requires the variable $${variable.name.value}, which the template of its variables does not set`,
    })),
    ...given
      .filter((one) => !declared.includes(one))
      .map((one) => ({
        key,
        message: `the operation "${name}" declares no variable $${one}${suggestion(one, declared)}`,
      })),
  ];
}

/** The response key of an operation's single root field. Undefined if there are several, or a fragment. */
export function resultKeyOf({ selectionSet }: OperationDefinitionNode): string | undefined {
  const selected = selectionSet.selections.filter(
    (selection) => selection.kind !== Kind.FIELD || selection.name.value !== '__typename',
  );
  const [only] = selected;
  if (selected.length !== 1 || only?.kind !== Kind.FIELD) return undefined;
  return (only.alias ?? only.name).value;
}
