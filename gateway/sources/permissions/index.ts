export type { Preset, Presets } from './preset.ts';
export { evadablePresetProblems } from './preset-checks.ts';
export { withPresets } from './preset-executor.ts';
export { takePresets } from './presets.ts';
export {
  mayAnswerMore,
  type Permitted,
  partsByRole,
  permissionProblems,
  permittedParts,
  permittedSchema,
} from './role-permission.ts';
