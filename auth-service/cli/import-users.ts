import { recordAudit } from '../audit/index.ts';
import { importUsers } from '../use-cases/index.ts';
import type { CommandContext, Outcome } from './command.ts';
import { nothingImported } from './errors.ts';
import { type Import, MAX_SHOWN_PROBLEMS, readImport } from './import-file.ts';
import { createProgress } from './progress.ts';

const IMPORTED_AT_ONCE = 2_000;
const IMPORT_TIMEOUT_MS = 3_600_000;

export interface ImportOptions {
  readonly tenantId: number;
  /** Only reports what would be imported. */
  readonly dryRun: boolean;
  /** Makes a single invalid line reject the whole file. */
  readonly allOrNothing: boolean;
}

/**
 * Adds the users of standard input to a tenant in one transaction, so an interrupted import adds nothing. Existing users stay
 * unchanged, so that a file can be imported again after its refused lines are corrected.
 *
 * @throws CommandError if no line can be imported, if a part of the input cannot be read, or with `allOrNothing` if a line is
 * refused.
 */
export async function runImport(context: CommandContext, options: ImportOptions): Promise<Outcome> {
  const { tenantId, dryRun, allOrNothing } = options;
  const read = readImport(await context.terminal.readAll(), context.config.passwords.importMaxCost);
  const { users, refused, truncated } = read;
  if (users.length === 0 || truncated || (allOrNothing && refused > 0)) throw nothingImported(problemLines(read));
  const added = dryRun ? 0 : await addAll(context, tenantId, users);
  const there = users.length - added;
  const summary = dryRun
    ? `${users.length} users could be imported`
    : `${added} users added, ${there} were there already and stay as they are`;
  return {
    json: {
      tenant_id: tenantId,
      read: users.length + refused,
      added,
      refused,
      dry_run: dryRun,
      problems: read.problems,
    },
    text: refused === 0 ? summary : [`${summary}, ${refused} lines refused:`, ...problemLines(read)].join('\n  '),
    failed: refused > 0,
  };
}

function problemLines({ problems, refused }: Import): readonly string[] {
  const more = refused - MAX_SHOWN_PROBLEMS;
  return more > 0 ? [...problems, `and ${more} more`] : problems;
}

function addAll(
  { database, now, author, terminal }: CommandContext,
  tenantId: number,
  users: Import['users'],
): Promise<number> {
  const progress = createProgress({ output: terminal.errors, unit: 'users', total: users.length });
  return database
    .inTenant(
      tenantId,
      async (transaction) => {
        let added = 0;
        for (let start = 0; start < users.length; start += IMPORTED_AT_ONCE) {
          added += await importUsers(transaction, tenantId, users.slice(start, start + IMPORTED_AT_ONCE), now());
          progress.update(Math.min(start + IMPORTED_AT_ONCE, users.length));
        }
        const subject = { kind: 'tenant', id: String(tenantId) } as const;
        const what = { event: 'user.import', outcome: 'success', tenantId, subject, details: { added } } as const;
        if (added > 0) await recordAudit(transaction, { ...author, ...what, at: now() });
        return added;
      },
      { timeoutMs: IMPORT_TIMEOUT_MS },
    )
    .finally(() => progress.end());
}
