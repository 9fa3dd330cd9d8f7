export {
  type CloudEvent,
  type EventAttributeValue,
  STRUCTURED_JSON,
  structuredJson,
  withAttribute,
} from './cloud-event.ts';
export { type EventMessage, readEvent } from './read-event.ts';
