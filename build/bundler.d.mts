import type { BuildOptions, BuildResult } from 'esbuild';

export function bundle<Options extends BuildOptions>(options: Options): Promise<BuildResult<Options>>;

/** Ends the bundler's process, which takes memory, unless none was started. Another build starts it again. */
export function stopBundler(): Promise<void>;
