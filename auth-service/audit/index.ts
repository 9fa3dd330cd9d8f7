export { type Audit, createAudit } from './audit.ts';
export {
  type Actor,
  type AuditDetails,
  type AuditEntry,
  type AuditSubject,
  type Author,
  auditStatement,
  type EventOrigin,
  PLATFORM,
  recordAudit,
  THE_SERVICE,
} from './entry.ts';
export { AUDIT_EVENTS, AUDIT_OUTCOMES, type AuditEvent, type AuditOutcome } from './events.ts';
export {
  type AuditFilter,
  type AuditPageRequest,
  type ReadEntry,
  readAuditOfTenant,
  readWholeAudit,
} from './read.ts';
export { auditSweeps } from './retention.ts';
