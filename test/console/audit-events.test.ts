import { expect, test } from '@jest/globals';
import { AUDIT_EVENTS } from '../../auth-service/audit/index.ts';
import { EVENTS } from '../../console/pages/audit/events.ts';

test('the page of the audit log offers every event', () => {
  expect([...EVENTS]).toEqual(Object.keys(AUDIT_EVENTS).sort());
});
