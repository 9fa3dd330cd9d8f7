import { useState } from 'preact/hooks';
import { ApiError, execute, type TypedDocument } from '../api/index.ts';
import { authorized } from '../session/index.ts';

/** The answer of an administrator's mutation, whose field is called `result`. */
interface ChangeAnswer<Data> {
  readonly result: {
    readonly success: boolean;
    readonly error_code: string | null;
    readonly error_message: string | null;
    readonly data: Data | null;
  };
}

/**
 * Changes something as an administrator.
 *
 * @returns what the change gave.
 * @throws ApiError, with the code of the refusal where it was refused.
 */
export function change<Data, Variables>(
  document: TypedDocument<ChangeAnswer<Data>, Variables>,
  variables: Variables,
): Promise<Data> {
  return authorized(async (headers) => {
    const { result } = await execute(document, variables, { headers });
    if (!result.success || result.data === null)
      throw new ApiError(result.error_code ?? 'unexpected', result.error_message ?? '', 200);
    return result.data;
  });
}

export interface ChangeState {
  readonly isBusy: boolean;
  /** Why the last one failed. */
  readonly error: unknown;
  /** Runs one at a time. @returns whether it went well. */
  readonly run: (work: () => Promise<void>) => Promise<boolean>;
}

/** A change, with what its form or button shows of it. */
export function useChange(): ChangeState {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: undefined });
  async function run(work: () => Promise<void>): Promise<boolean> {
    if (state.isBusy) return false;
    setState({ isBusy: true, error: undefined });
    try {
      await work();
      setState({ isBusy: false, error: undefined });
      return true;
    } catch (error) {
      setState({ isBusy: false, error });
      return false;
    }
  }
  return { ...state, run };
}

/** The fields that refusals are about whose messages name none. */
const FIELDS_OF_CODES: Readonly<Record<string, readonly string[]>> = {
  'name-taken': ['username'],
  'tenant-taken': ['tenant_id'],
  'unusable-password': ['password'],
  'role-not-assignable': ['roles'],
  'claim-not-assignable': ['claims'],
  'scope-not-assignable': ['scopes'],
};

/** A refusal that is about one field of a form. */
export interface FieldProblem {
  readonly field: string;
  /** Undefined where the field was left empty. */
  readonly message: string | undefined;
}

/** The field of a form that a refusal is about; undefined where it is about none of them. */
export function fieldProblem(error: unknown, fields: readonly string[]): FieldProblem | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { code, message } = error;
  const missing = code === 'missing-field' ? /^(\w+) is required$/.exec(message)?.[1] : undefined;
  if (missing !== undefined && fields.includes(missing)) return { field: missing, message: undefined };
  const [, named, expected] = code === 'invalid-field' ? (/^(\w+): (.+)$/s.exec(message) ?? []) : [];
  if (named !== undefined && fields.includes(named)) return { field: named, message: sentence(expected ?? '') };
  const field = FIELDS_OF_CODES[code]?.find((name) => fields.includes(name));
  return field === undefined ? undefined : { field, message: sentence(message) };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
