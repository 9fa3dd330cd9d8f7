export { resolveAbstractTypes } from './abstract-types.ts';
export { plainHeaders, type WebhookPayload, webhookPayload } from './action-request.ts';
export { declaredPart, isNothing, objectsWithin, responseProblem } from './action-response.ts';
export {
  type ActionOutcome,
  type ActionOutput,
  type ActionWebhook,
  callBatchWebhook,
  callWebhook,
} from './action-webhook.ts';
export { codeWithoutExtensions, errorOfWebhook, misfitWebhookResponse, VERBATIM } from './errors.ts';
export { type ExcessProblem, excessProblem } from './excess-problem.ts';
export { type CollectFieldArguments, type FieldArguments, fieldArgumentCollectors } from './field-arguments.ts';
export { LAST_EVENT_ID_HEADER, openHandlerEvents, readHandlerEvent, type StreamedAction } from './handler-stream.ts';
