export interface CompiledPart {
  readonly folders: readonly string[];
  readonly record: string;
}

export const PRODUCT: CompiledPart;
export const TOOLS: CompiledPart;

export function compile(packageDir: string, onBegin?: (files: number) => void, part?: CompiledPart): Promise<number>;
