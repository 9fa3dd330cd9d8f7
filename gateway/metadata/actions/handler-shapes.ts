import { z } from 'zod';
import type { Template } from '../../webhooks/kriti/index.ts';
import { graphqlName, mapping, name } from '../shapes/index.ts';
import { shapeByValue, template } from './action-transforms.ts';

/** The variables that templates of a handler may use before it has run a step. */
const CALL_VARIABLES = ['$body', '$session_variables', '$idempotency_key'];
/** The variables of templates in a chain. `$steps` has the results of earlier steps by name. */
const STEP_VARIABLES = [...CALL_VARIABLES, '$steps'];

const isMapping = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A reference to a saved operation, with the template of its variables and the role that runs it. */
const reference = (variables: readonly string[]) => ({
  operation: name,
  collection: name,
  /** The template of a JSON object. Absent: the operation gets no variables. */
  variables: template(variables).optional(),
  /** The role that runs the operation. Absent: the role of the handler, or else the caller's. */
  role: name.optional(),
});

const undoing = mapping({
  ...reference(STEP_VARIABLES),
  /** The template of a boolean. If it is false, nothing has to be undone. */
  when: template(STEP_VARIABLES).optional(),
});

/** `none` states that nothing undoes the mutation. */
const compensation = shapeByValue<z.output<typeof undoing> | 'none'>((value) =>
  isMapping(value) ? undoing : z.literal('none', { error: 'expected none, or a mapping' }),
);

const operationStep = mapping({
  name: graphqlName,
  ...reference(STEP_VARIABLES),
  /** The template of a boolean. If it is false, the step is skipped and its result is null. */
  when: template(STEP_VARIABLES).optional(),
  compensate: compensation.optional(),
});

const failStep = mapping({
  fail: mapping({
    /** The template of a boolean. If it is true, the chain ends with the error. */
    if: template(STEP_VARIABLES),
    message: z.string().min(1).max(1_000),
    code: z.string().regex(/^[\w-]{1,64}$/, 'expected a code of letters, digits, "-" and "_"'),
  }),
});

const steps = z
  .array(
    shapeByValue<z.output<typeof operationStep> | z.output<typeof failStep>>((value) =>
      isMapping(value) && 'fail' in value ? failStep : operationStep,
    ),
  )
  .min(1, 'expected at least one step');

const role = name.optional();
const actionOperation = mapping(reference(CALL_VARIABLES));
const actionChain = mapping({
  steps,
  /** The template of the action's output. */
  response: template(STEP_VARIABLES),
  role,
});

/** The handler of an action: the URL of a webhook, a saved operation, or a chain of saved operations. */
export const actionHandler = shapeByValue<string | z.output<typeof actionOperation> | z.output<typeof actionChain>>(
  (value) => {
    if (!isMapping(value)) return z.string().min(1);
    return 'steps' in value ? actionChain : actionOperation;
  },
);

/** Session variables that the metadata sets for work without a caller. */
const sessionVariables = z
  .record(
    z
      .string()
      .regex(/^x-hasura-/i, 'expected the name of a session variable, x-hasura-…')
      .refine((variable) => variable.toLowerCase() !== 'x-hasura-role', 'the key "role" sets the role'),
    z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text' }).transform(String),
    { error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) },
  )
  .transform(
    (variables): Readonly<Record<string, string>> =>
      Object.fromEntries(Object.entries(variables).map(([variable, value]) => [variable.toLowerCase(), value])),
  );

/** There is no caller whose role could apply. */
const ofWork = { role: name, session_variables: sessionVariables.optional() };
const workOperation = mapping({ ...reference(CALL_VARIABLES), ...ofWork });
const workChain = mapping({ steps, ...ofWork });

/** The handler of a cron trigger or a subscription to events, in place of its webhook. */
export const workHandler = shapeByValue<z.output<typeof workOperation> | z.output<typeof workChain>>((value) =>
  isMapping(value) && 'steps' in value ? workChain : workOperation,
);

export type OperationStepMetadata = z.output<typeof operationStep>;
export type FailStepMetadata = z.output<typeof failStep>;
export type OperationReference = Omit<OperationStepMetadata, 'name' | 'when' | 'compensate'>;
export type ActionHandlerMetadata = Exclude<z.output<typeof actionHandler>, string>;
export type WorkHandlerMetadata = z.output<typeof workHandler>;

type AnyHandler = ActionHandlerMetadata | WorkHandlerMetadata;

/** Returns the saved operations that handlers refer to. Webhooks have none. */
export function handlerReferences(
  handlers: readonly (string | AnyHandler | undefined)[],
): readonly Pick<OperationReference, 'collection' | 'operation'>[] {
  return handlers
    .flatMap((handler) => {
      if (typeof handler !== 'object') return [];
      if (!('steps' in handler)) return [handler];
      return handler.steps.flatMap((step) => {
        if ('fail' in step) return [];
        return typeof step.compensate === 'object' ? [step, step.compensate] : [step];
      });
    })
    .map(({ collection, operation }) => ({ collection, operation }));
}

/** Returns every template of a handler. */
export function handlerTemplates(handler: AnyHandler): readonly Template[] {
  if (!('steps' in handler)) return handler.variables ? [handler.variables] : [];
  const ofSteps = handler.steps.flatMap((step) => {
    if ('fail' in step) return [step.fail.if];
    const { variables, when, compensate } = step;
    const { variables: undone, when: isUndone } = typeof compensate === 'object' ? compensate : {};
    return [variables, when, undone, isUndone];
  });
  return [...ofSteps, 'response' in handler ? handler.response : undefined].filter((one) => one !== undefined);
}
