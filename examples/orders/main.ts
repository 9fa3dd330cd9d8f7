import { createLogger, listen, openTelemetry, runService } from '../../platform/index.ts';
import { readOrdersSettings } from './config.ts';
import { openOrderBook } from './order-book.ts';
import { forgetful, orderFile } from './order-file.ts';
import { SAMPLE_ORDERS } from './sample-orders.ts';
import { createOrdersServer } from './server.ts';

runService('orders', async () => {
  const settings = readOrdersSettings();
  const log = createLogger('orders', settings.logLevel);
  const telemetry = await openTelemetry({
    settings: settings.tracing,
    serviceName: 'portico-orders',
    serviceVersion: '',
    log,
  });
  const book = await openOrderBook(settings.dataFile ? orderFile(settings.dataFile) : forgetful, SAMPLE_ORDERS);
  const server = await listen(createOrdersServer(book, log, telemetry), {
    host: settings.host,
    port: settings.port,
    portVariable: 'ORDERS_PORT',
  });
  log.info({ event: 'service.ready', port: server.port }, 'ready');
  return {
    ...server,
    stop: async () => {
      book.close();
      await server.stop();
      await telemetry.stop();
    },
  };
});
