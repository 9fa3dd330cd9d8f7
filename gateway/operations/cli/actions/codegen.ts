import { StartError, suggestion } from '../../../../platform/index.ts';
import { loadMetadata } from '../../../metadata/index.ts';
import {
  type CodegenTarget,
  customScalars,
  generatedFiles,
  handlerModel,
  type ScalarJson,
  writeGenerated,
} from '../../codegen/index.ts';
import { terminalText } from './terminal-text.ts';

export interface CodegenOptions {
  readonly location: string;
  readonly target: CodegenTarget;
  readonly onlyTypes: boolean;
  /** The directory to write to. */
  readonly out: string;
  /** The JSON types of custom scalars. */
  readonly scalars: ReadonlyMap<string, ScalarJson>;
  readonly force: boolean;
}

/**
 * `portico actions codegen`: writes typed handlers of the actions. Reads no environment variables of the metadata.
 *
 * @param print receives a line for each file.
 * @param notice receives what the developer should know besides.
 * @throws MetadataError, or StartError if files exist with another content or cannot be written.
 */
export function codegen(
  { location, target, onlyTypes, out, scalars, force }: CodegenOptions,
  print: (text: string) => void,
  notice: (text: string) => void,
): void {
  const model = handlerModel(loadMetadata(location, { hasJobsDatabase: true }), scalars);
  if (model.actions.length === 0) throw new StartError(`the metadata in ${location} has no actions`);
  const known = customScalars(model);
  for (const name of scalars.keys())
    if (!known.includes(name))
      throw new StartError(`--scalar: no action uses a custom scalar "${name}"${suggestion(name, known)}`);
  for (const { file, outcome } of writeGenerated(out, generatedFiles(model, target, onlyTypes), force))
    print(terminalText(outcome === 'written' ? file : `${file} (${outcome})`));
  if (onlyTypes) return;
  for (const { name, otherForm } of model.actions)
    if (otherForm !== undefined) notice(`${name}: only its types were written, because ${otherForm}`);
}
