export { type MisspeltSetting, misspeltSettings } from './misspelt-settings.ts';
export { SettingsError, settingText, withSetting } from './setting-text.ts';
export { type GivenSettings, readSettings, setting } from './settings.ts';
