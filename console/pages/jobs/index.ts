export { JobsPage as default } from './jobs-page.tsx';
