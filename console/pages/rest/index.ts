export { RestPage as default } from './rest-page.tsx';
