export const BUNDLED_PACKAGES: readonly string[];

export function bundledFile(imported: string): string | undefined;

export function bundlePackages(packageDir: string, onBegin?: () => void): Promise<boolean>;
