export {
  directiveArgument,
  fieldNamesOf,
  fieldText,
  graphNames,
  hasTrueArgument,
  parseFieldSet,
} from './join-directives.ts';
export type {
  CallObject,
  FieldSet,
  RootCall,
  RootCallArgument,
  RootLookup,
  ServiceField,
  ServiceType,
  SubgraphKey,
  SupergraphTypes,
  TypeModel,
} from './model.ts';
export { overrideLabels, resolveOverrides } from './overrides.ts';
export { buildPublicSchema, publicDocument } from './public-schema.ts';
export { type ComposedSubgraph, type ExternalFields, restoreExternal } from './restore-external.ts';
export {
  outlineOf,
  readSupergraphTypes,
  type SupergraphOutline,
  typesOnDemand,
} from './supergraph-types.ts';
export { typeNameIn } from './type-model.ts';
export { widenFields } from './widen-fields.ts';
