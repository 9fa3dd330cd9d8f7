export { metadataWarnings } from './metadata-warnings.ts';
export { roleWarnings } from './role-warnings.ts';
export { presetSlips, type SessionVariableUse, sessionVariableUses, templateSlips } from './value-warnings.ts';
