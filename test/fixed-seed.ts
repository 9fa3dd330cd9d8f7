import fc from 'fast-check';
import { SEED } from './seed.ts';

// For every property that names no seed of its own. A property that fails prints the seed.
fc.configureGlobal({ seed: SEED });
