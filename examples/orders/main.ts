import { createLogger, listen, runService } from '../../platform/index.ts';
import { readOrdersSettings } from './config.ts';
import { openOrderBook } from './order-book.ts';
import { forgetful, orderFile } from './order-file.ts';
import { SAMPLE_ORDERS } from './sample-orders.ts';
import { createServer } from './server.ts';

runService('orders', async () => {
  const settings = readOrdersSettings();
  const log = createLogger('orders', settings.logLevel);
  const book = await openOrderBook(settings.dataFile ? orderFile(settings.dataFile) : forgetful, SAMPLE_ORDERS);
  const server = await listen(createServer(book, log), {
    host: settings.host,
    port: settings.port,
    portVariable: 'ORDERS_PORT',
  });
  log.info({ port: server.port }, 'ready');
  return server;
});
