import { type CheckOptions, check } from '../../../gateway/operations/cli/check.ts';
import type { CheckReport as Report } from '../../../gateway/operations/cli/print-report.ts';

type Options = Partial<CheckOptions> & Pick<CheckOptions, 'location'>;

function complete(options: Options): CheckOptions {
  return {
    environment: {},
    publicRole: 'anonymous',
    schemas: undefined,
    record: undefined,
    against: undefined,
    json: false,
    ...options,
  };
}

/** What `portico check --json` says, and its exit code. */
export async function reportOf(options: Options): Promise<{ code: number; report: Report }> {
  const { code, text } = await textOf({ ...options, json: true });
  return { code, report: JSON.parse(text) as Report };
}

/** What `portico check` says, and its exit code. */
export async function textOf(options: Options): Promise<{ code: number; text: string }> {
  const printed: string[] = [];
  const code = await check(complete(options), (text) => printed.push(text));
  return { code, text: printed.join('\n') };
}
