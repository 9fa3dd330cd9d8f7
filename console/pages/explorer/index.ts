export { ExplorerPage as default } from './explorer-page.tsx';
