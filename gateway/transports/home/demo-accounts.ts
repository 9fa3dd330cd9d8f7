import { z } from 'zod';

/** A demo account, whose password is public. */
const demoAccounts = z.array(
  z.strictObject({
    tenant_id: z.int(),
    tenant: z.string(),
    username: z.string(),
    password: z.string(),
    roles: z.array(z.string()),
  }),
);

export type DemoAccount = z.infer<typeof demoAccounts>[number];

/** Reads a JSON list of accounts. @returns the accounts, or the problem with the list. */
export function parseDemoAccounts(text: string): DemoAccount[] | { problem: string } {
  try {
    return demoAccounts.parse(JSON.parse(text));
  } catch {
    return { problem: 'expected a JSON list of { tenant_id, tenant, username, password, roles }' };
  }
}
