import { type ReadEntry, readAuditOfTenant, readWholeAudit } from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import { type ReadAuditInput, readAuditRequest } from '../read-audit.ts';
import type { Administrator } from './administrator.ts';
import { invalidField } from './errors.ts';
import { type Page, readTenantId } from './input.ts';

export interface AdministratorsAuditInput extends ReadAuditInput {
  /** Operators leave it out for all tenants and the platform. */
  tenant_id?: number | null;
}

/** What happened, the newest first: in one tenant, or for operators everywhere. @throws AdministrationError */
export function createReadAuditLog(database: Database) {
  return async (administrator: Administrator, input: AdministratorsAuditInput): Promise<Page<ReadEntry>> => {
    const everywhere = administrator.kind === 'platform' && input.tenant_id == null;
    const tenantId = everywhere ? undefined : readTenantId(administrator, input.tenant_id);
    const request = readAuditRequest(input);
    if ('field' in request) throw invalidField(request.field, 'something else, see docs/audit-log.md');
    // One row more than requested shows whether there is another page.
    const wanted = { ...request, first: request.first + 1 };
    const found =
      tenantId === undefined
        ? await readWholeAudit(database, wanted)
        : await readAuditOfTenant(database, tenantId, wanted);
    const entries = found.slice(0, request.first);
    return { entries, next: found.length > request.first ? (entries.at(-1)?.id ?? null) : null };
  };
}
