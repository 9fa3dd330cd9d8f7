export { accessibleTo, type CallerGrants, type Requirements } from './access.ts';
export type { Composition, CompositionProblem, SubgraphSdl } from './compose.ts';
export { ComposerStopped, composeSubgraphs } from './composer.ts';
export { supergraphHints } from './hints.ts';
export type { SdlDefinitions } from './sdl-definitions.ts';
export {
  hasOverrideLabels,
  readComposed,
  readSupergraph,
  type Supergraph,
  type SupergraphSubgraph,
} from './supergraph.ts';
export { labelsIn } from './unsupported.ts';
