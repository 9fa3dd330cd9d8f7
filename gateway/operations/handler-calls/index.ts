export { type CaseExpectation, type HandlerCase, readCases, withExpectation } from './cases.ts';
export {
  type CalledHandler,
  type CallVerdict,
  type DescribedCall,
  type HandlerCaller,
  openHandlerCaller,
} from './handler-caller.ts';
export { type CaseResult, runCases } from './run-cases.ts';
export { describeVerdict } from './verdict-text.ts';
