import { StartError } from '../../../../platform/index.ts';
import { type DescribedCall, openHandlerCaller } from '../../handler-calls/index.ts';
import { isRight, printedCall } from './print-call.ts';
import { terminalLine } from './terminal-text.ts';

export interface TryOptions {
  readonly location: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The action. */
  readonly name: string;
  readonly call: DescribedCall;
}

/**
 * `portico actions try`: calls the handler of an action and prints the call.
 *
 * @returns the exit code: 0 if the response has the form that the metadata describes, 1 otherwise.
 * @throws MetadataError, SettingsError, or StartError for an unknown action or a role without permission.
 */
export async function tryHandler(
  { location, environment, name, call }: TryOptions,
  print: (text: string) => void,
): Promise<number> {
  const caller = openHandlerCaller(location, environment, new Set([name]));
  try {
    const called = await caller.call(name, call);
    if ('problem' in called) throw new StartError(terminalLine(called.problem));
    print(printedCall(called, environment));
    return isRight(called) ? 0 : 1;
  } finally {
    await caller.close();
  }
}
