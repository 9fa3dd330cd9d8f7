import { otlpSettings, readSettings, setting, type TracingSettings, tracingSettings } from '../../platform/index.ts';

/** The settings of the sample service, from environment variables. */
export interface OrdersSettings {
  readonly host: string;
  readonly port: number;
  /** The file that keeps the orders; without one they live in memory. */
  readonly dataFile: string | undefined;
  readonly logLevel: string;
  /** OpenTelemetry's own variables. */
  readonly tracing: TracingSettings;
}

export const ordersSettings = {
  ORDERS_HOST: setting.text().default('127.0.0.1').describe('Address that the sample service listens on.'),
  ORDERS_PORT: setting.port(4010).describe('Port that the sample service listens on.'),
  ORDERS_DATA: setting
    .text()
    .optional()
    .describe('File in which the orders are stored. Without it, they are kept in memory.'),
  ORDERS_LOG_LEVEL: setting.logLevel().describe('Minimum log level.'),
};

/** @throws SettingsError naming every variable that is wrong. */
export function readOrdersSettings(environment: NodeJS.ProcessEnv = process.env): OrdersSettings {
  const values = readSettings(ordersSettings, environment);
  return {
    host: values.ORDERS_HOST,
    port: values.ORDERS_PORT,
    dataFile: values.ORDERS_DATA,
    logLevel: values.ORDERS_LOG_LEVEL,
    tracing: readSettings({ ...otlpSettings, ...tracingSettings }, environment),
  };
}
