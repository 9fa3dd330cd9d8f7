import { signal } from '@preact/signals';
import { consoleUrl } from '../api/index.ts';

/** An account of demo data, where the gateway runs on it. */
export interface DemoAccount extends Readonly<Record<'tenant' | 'username' | 'password', string>> {
  readonly tenant_id: number;
  readonly roles: readonly string[];
}

/** What the gateway tells every console. */
export interface ConsoleSettings {
  readonly demoAccounts: readonly DemoAccount[];
  /** Roles that may look into the gateway, beside `admin`. */
  readonly insightRoles: readonly string[];
  /** Whether it has a database for jobs. */
  readonly hasJobs: boolean;
}

export const settings = signal<ConsoleSettings>({ demoAccounts: [], insightRoles: [], hasJobs: false });

/** Without an answer the console works as with empty ones. */
export async function loadSettings(): Promise<void> {
  try {
    const response = await fetch(consoleUrl('settings.json'), { credentials: 'omit' });
    if (response.ok) settings.value = (await response.json()) as ConsoleSettings;
  } catch {
    // The gateway cannot be reached, which the login or the page says.
  }
}
