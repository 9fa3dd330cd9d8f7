export { buildSchema } from './build-schema.ts';
export { defaultValueNode, introspectionOf, printSchema, printType } from './default-values.ts';
export { type JoinedPart, joinSchemas } from './join-schemas.ts';
export {
  HASURA_ROOT_TYPES,
  operationOfRootType,
  type RootTypeNames,
  rootTypeNameIn,
  STANDARD_ROOT_TYPES,
} from './root-type-names.ts';
