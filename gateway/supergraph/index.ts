export {
  directiveArgument,
  fieldNamesOf,
  fieldText,
  graphNames,
  hasTrueArgument,
  parseFieldSet,
} from './join-directives.ts';
export { overrideLabels, resolveOverrides } from './overrides.ts';
export { buildPublicSchema, publicDocument } from './public-schema.ts';
export { type ComposedSubgraph, type ExternalFields, restoreExternal } from './restore-external.ts';
export {
  outlineOf,
  readSupergraphTypes,
  type SubgraphKey,
  type SupergraphOutline,
  type SupergraphTypes,
  typesOnDemand,
} from './supergraph-types.ts';
export { type FieldSet, type ServiceField, type ServiceType, type TypeModel, typeNameIn } from './type-model.ts';
export { widenFields } from './widen-fields.ts';
