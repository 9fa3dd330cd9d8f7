export {
  type Attempt,
  type AttemptKind,
  describeFailure,
  type Failure,
  isComeBackLater,
  wasSentAgain,
} from './attempt.ts';
export { type Load, type LoadOptions, startLoad } from './load.ts';
export type { StreamEnd } from './streams.ts';
