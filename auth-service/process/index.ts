export { startAuthService } from './service.ts';
