export {
  type AttemptKind,
  describeFailure,
  type Failure,
  isComeBackLater,
  type LoadAttempt,
  wasConnectionClosed,
} from './attempt.ts';
export { type FaultLoadOptions, type Load, startLoad } from './load.ts';
export type { StreamEnd } from './streams.ts';
