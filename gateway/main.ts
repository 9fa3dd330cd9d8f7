import { runService } from '../platform/index.ts';
import { startGateway } from './gateway.ts';

runService('gateway', () => startGateway(process.env));
