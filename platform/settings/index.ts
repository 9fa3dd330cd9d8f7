export { SettingsError, settingText, withSetting } from './setting-text.ts';
export { readSettings, setting } from './settings.ts';
