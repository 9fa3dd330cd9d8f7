import type { z } from 'zod';
import { logsExportSettings, metricsPushSettings } from '../../platform/index.ts';
import type { SecretSetting } from '../own-secrets.ts';
import { authenticationSettings, browserSettings } from './authentication.ts';
import { connectionSettings, requestSettings } from './connections.ts';
import { developmentSettings } from './development.ts';
import { jobSettings } from './jobs.ts';
import { metadataSettings } from './metadata.ts';
import { operationSettings, sharedStateSettings } from './operations.ts';
import { proofSettings } from './proofs.ts';
import { servingSettings } from './serving.ts';
import { telemetrySettings } from './telemetry.ts';
import { upstreamSettings } from './upstream.ts';
import { usageSettings } from './usage.ts';

/** The gateway's settings in the order of `docs/configuration.md`, which is generated from them. */
export const gatewaySettingGroups = {
  'Listening, stopping, logs and metrics': servingSettings,
  'Metadata and the graph': metadataSettings,
  Authentication: authenticationSettings,
  'Browsers of other origins': browserSettings,
  'State shared by several gateways': sharedStateSettings,
  Operations: operationSettings,
  'Requests and responses': requestSettings,
  'Connections of clients': connectionSettings,
  'Calls to services': upstreamSettings,
  Jobs: jobSettings,
  'Proofs for services': proofSettings,
  'Usage of operations and fields': usageSettings,
  'Traces (OpenTelemetry)': telemetrySettings,
  'Push of metrics (OpenTelemetry)': metricsPushSettings,
  'Export of usage (OpenTelemetry)': logsExportSettings,
  'Development and compatibility': developmentSettings,
};

/** The gateway's settings by environment variable. */
export const gatewaySettings = {
  ...servingSettings,
  ...metadataSettings,
  ...authenticationSettings,
  ...browserSettings,
  ...sharedStateSettings,
  ...operationSettings,
  ...requestSettings,
  ...connectionSettings,
  ...upstreamSettings,
  ...jobSettings,
  ...proofSettings,
  ...usageSettings,
  ...telemetrySettings,
  ...metricsPushSettings,
  ...logsExportSettings,
  ...developmentSettings,
} satisfies Record<SecretSetting, z.ZodType> & Record<string, z.ZodType>;
