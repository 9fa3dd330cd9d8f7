export { Insight, type InsightOptions } from './insight.ts';
export { REDACTED, redactText } from './redact-text.ts';
export { isSecretName } from './secret-names.ts';
