export type { GeneratedFile } from './generated-file.ts';
export { customScalars, type HandlerModel, handlerModel, SCALAR_JSON, type ScalarJson } from './handler-model.ts';
export { CODEGEN_TARGETS, type CodegenTarget, generatedFiles } from './targets.ts';
export { type WrittenFile, writeGenerated } from './write-generated.ts';
