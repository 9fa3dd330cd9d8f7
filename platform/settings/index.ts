export { type MisspeltSetting, misspeltSettings } from './misspelt-settings.ts';
export { SettingsError, settingText, withSetting } from './setting-text.ts';
export { flagIn, type GivenSettings, readSettings, refuseUnreadableFile, setting } from './settings.ts';
