export class CompilerMissing extends Error {}

export function compile(packageDir: string, onBegin?: (files: number) => void): Promise<number>;
