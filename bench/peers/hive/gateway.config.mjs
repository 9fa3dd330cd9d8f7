import { defineConfig } from '@graphql-hive/gateway';

const rust = process.env.RUST === '1' ? await import('@graphql-hive/router-runtime') : undefined;

export const gatewayConfig = defineConfig({
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  pollingInterval: 3_600_000,
  logging: 'warn',
  jit: process.env.JIT === '1',
  inboundInflightRequestDeduplication: process.env.DEDUPE === '1',
  ...(rust ? { unifiedGraphHandler: rust.unifiedGraphHandler } : {}),
});
