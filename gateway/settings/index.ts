export { gatewaySettingGroups, gatewaySettings } from './gateway-settings.ts';
export { graphSettings } from './metadata.ts';
