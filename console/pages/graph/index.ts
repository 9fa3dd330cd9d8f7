export { GraphPage as default } from './graph-page.tsx';
