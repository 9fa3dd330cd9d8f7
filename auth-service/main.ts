import { runService } from '../platform/index.ts';
import { readConfig } from './config.ts';
import { startAuthService } from './process/index.ts';

runService('auth-service', async (stopping) => startAuthService(readConfig(), { stopping }));
