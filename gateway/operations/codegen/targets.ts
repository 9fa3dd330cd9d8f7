import type { GeneratedFile } from './generated-file.ts';
import { goHandlers, goTypes } from './go.ts';
import type { HandlerModel } from './handler-model.ts';
import { pythonHandlers, pythonTypes } from './python.ts';
import { typeScriptHandlers, typeScriptTypes } from './typescript.ts';

/** The frameworks that handlers can be generated for. */
export const CODEGEN_TARGETS = ['express', 'fastify', 'fetch', 'fastapi', 'go'] as const;

export type CodegenTarget = (typeof CODEGEN_TARGETS)[number];

/**
 * Generates handlers of actions. The same metadata always results in the same files.
 *
 * @param onlyTypes whether to generate the types alone, in the target's language.
 */
export function generatedFiles(
  model: HandlerModel,
  target: CodegenTarget,
  onlyTypes: boolean,
): readonly GeneratedFile[] {
  if (target === 'fastapi') return onlyTypes ? [pythonTypes(model)] : pythonHandlers(model);
  if (target === 'go') return onlyTypes ? [goTypes(model)] : goHandlers(model);
  return onlyTypes ? [typeScriptTypes(model)] : typeScriptHandlers(model, target);
}
