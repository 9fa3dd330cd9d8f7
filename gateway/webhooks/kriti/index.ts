export { KritiEvaluationError, KritiSyntaxError } from './errors.ts';
export type { Bindings } from './evaluate.ts';
export { escapeUri } from './functions.ts';
export type { TemplatePath } from './paths.ts';
export type { TemplateValue } from './syntax.ts';
export { parseTemplate, parseTextTemplate, type Template, type TextTemplate } from './template.ts';
