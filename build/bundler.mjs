// The bundler works in a process of its own, which stays for the next build until it is stopped.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** @type {typeof import('esbuild') | undefined} */
let bundler;

/**
 * @template {import('esbuild').BuildOptions} Options
 * @param {Options} options
 * @returns {Promise<import('esbuild').BuildResult<Options>>}
 */
export function bundle(options) {
  bundler ??= require('esbuild');
  return bundler.build(options);
}

/** Ends the bundler's process, which takes memory, unless none was started. Another build starts it again. */
export async function stopBundler() {
  await bundler?.stop();
}
