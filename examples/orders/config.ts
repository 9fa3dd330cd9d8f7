import { readSettings, setting } from '../../platform/index.ts';

/** What the sample service can be told by environment variables. */
export interface OrdersSettings {
  readonly host: string;
  readonly port: number;
  /** The file that keeps the orders; without one they live in memory. */
  readonly dataFile: string | undefined;
  readonly logLevel: string;
}

/** @throws SettingsError naming every variable that is wrong. */
export function readOrdersSettings(environment: NodeJS.ProcessEnv = process.env): OrdersSettings {
  const values = readSettings(
    {
      ORDERS_HOST: setting.text().default('127.0.0.1'),
      ORDERS_PORT: setting.port(4010),
      ORDERS_DATA: setting.text().optional(),
      ORDERS_LOG_LEVEL: setting.logLevel(),
    },
    environment,
  );
  return {
    host: values.ORDERS_HOST,
    port: values.ORDERS_PORT,
    dataFile: values.ORDERS_DATA,
    logLevel: values.ORDERS_LOG_LEVEL,
  };
}
