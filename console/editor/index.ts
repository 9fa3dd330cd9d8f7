export { CodeEditor } from './code-editor.tsx';
