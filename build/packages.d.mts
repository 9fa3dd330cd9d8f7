export const BUNDLED_PACKAGES: readonly string[];

export function bundledImport(imported: string): string | undefined;

export function bundlePackages(packageDir: string, onBegin?: () => void): Promise<boolean>;
