import type { Author } from '../../auth-service/audit/index.ts';

/** Who does in tests what operators do. */
export const OPERATOR: Author = {
  actor: { kind: 'operator', id: 'olga' },
  origin: { address: null, userAgent: 'tests', requestId: null },
};
