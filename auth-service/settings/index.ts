export {
  authServiceSettingGroups,
  authServiceSettings,
  openTelemetrySettings,
} from './auth-service-settings.ts';
export { databaseSetupSettings } from './database.ts';
