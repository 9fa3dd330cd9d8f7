export { customization } from './customization-shape.ts';
export { mapping, problemsOfShape, type ShapeProblem } from './mapping.ts';
export {
  type Relationships,
  relationshipsShape,
  remoteRelationshipsShape,
  type WrittenStep,
} from './relationship-shapes.ts';
export { type ResilienceMetadata, resilience } from './resilience-shape.ts';
export { sessionCondition } from './session-condition-shape.ts';
export {
  type ConfiguredHeader,
  configuredHeaders,
  FRAMING_HEADERS,
  flag,
  graphqlName,
  listOf,
  name,
  queueName,
  serviceAssertion,
  timeoutSeconds,
} from './shared-shapes.ts';
