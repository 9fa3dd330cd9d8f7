export { conditionsInGraph, permittedConditions } from './field-conditions.ts';
export { type NarrowedTypes, narrowedTypes } from './narrowed-types.ts';
export type { Preset, Presets } from './preset.ts';
export { PresetArguments, type SentVariables } from './preset-arguments.ts';
export { evadablePresetProblems } from './preset-checks.ts';
export { type RolePresets, rolePresets } from './preset-inputs.ts';
export { takePresets } from './presets.ts';
export {
  type Permitted,
  partsByRole,
  permissionProblems,
  permittedParts,
  permittedSchema,
} from './role-permission.ts';
