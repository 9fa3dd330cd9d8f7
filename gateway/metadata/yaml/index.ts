export { INCLUDE, includeTag } from './include-tag.ts';
export { VARIABLES_NOT_FOUND, withVariablesOnce } from './missing-variables.ts';
export { describeProblem, MetadataError, type MetadataProblem, together } from './problem.ts';
export {
  type MetadataFiles,
  type MetadataLocation,
  pathWithin,
  readMetadataText,
  readYamlTree,
  type ValuePath,
  type YamlTree,
} from './yaml-tree.ts';
