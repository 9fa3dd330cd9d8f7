export { type UsageOfChanges, usageText, type WeighedChange, weighChanges } from './change-usage.ts';
export { type Change, type ClientChange, type CompareSchemas, changesBetween } from './changes.ts';
export { type Report, type ReportOptions, reportOn } from './report.ts';
export { ANY_OTHER_ROLE, checkedRoles } from './roles.ts';
export { settingsNotes } from './settings-notes.ts';
export { type ChangesToWeigh, weighAside } from './weigh-aside.ts';
