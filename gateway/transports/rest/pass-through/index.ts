export { openPassThrough, type PassThrough, type PassThroughOptions } from './pass-through.ts';
