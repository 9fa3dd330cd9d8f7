export { INCLUDE, includeTag } from './include-tag.ts';
export {
  asStartError,
  describeProblem,
  MetadataError,
  type MetadataProblem,
  together,
  VARIABLES_NOT_FOUND,
  withVariablesOnce,
} from './problem.ts';
export {
  type MetadataFiles,
  type MetadataLocation,
  pathWithin,
  readMetadataText,
  readYamlTree,
  type ValuePath,
  type YamlTree,
} from './yaml-tree.ts';
