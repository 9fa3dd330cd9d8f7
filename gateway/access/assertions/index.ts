export {
  ASSERTION_HEADER,
  type Assertions,
  createAssertions,
  OPERATOR_HEADER,
  type OperatorAssertion,
  type ServiceAssertion,
} from './assertions.ts';
export { openSealer } from './open-sealer.ts';
export { resolveAssertion, type ServiceAssertionMetadata } from './resolve-assertion.ts';
export { type AssertionSettings, assertionSettings, openAssertions } from './settings.ts';
