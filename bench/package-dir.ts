import { basename, join, resolve } from 'node:path';

const above = resolve(import.meta.dirname, '..');

/** Portico's directory. The benchmark runs compiled code from `dist`, but its parts are tested from the sources. */
export const PACKAGE_DIR = basename(above) === 'dist' ? resolve(above, '..') : above;

/** The compiled code. */
export const COMPILED_DIR = join(PACKAGE_DIR, 'dist');
