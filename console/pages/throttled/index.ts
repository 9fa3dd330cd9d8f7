export { ThrottledPage as default } from './throttled-page.tsx';
