export { TenantsPage as default } from './tenants-page.tsx';
