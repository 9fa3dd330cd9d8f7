export { Insight, type InsightOptions } from './insight.ts';
