export function buildConsole(packageDir: string, onBegin?: () => void): Promise<boolean>;
