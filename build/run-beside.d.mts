export function runBeside(packageDir: string, commands: readonly (readonly string[])[]): Promise<number>;
