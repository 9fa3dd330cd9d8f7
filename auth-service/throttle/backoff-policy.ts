/**
 * What is counted, and for whose sake:
 * - `account`: wrong passwords for one account, from devices that it was never used on
 * - `device`: wrong passwords for one account from a device that it was used on, so that attempts from elsewhere cannot use
 *   up its owner's allowance
 * - `address`: wrong passwords and client secrets from one network, for all accounts
 * - `tenant`: wrong passwords for all accounts of a tenant, from all networks
 * - `client`: wrong secrets of one OAuth client
 *
 * Strangers can use up the allowances of an account, a tenant and a client. Addresses without failures of their own
 * have a second allowance there, which the others cannot use:
 * - `clean_address`: whether a network has failures of its own
 * - `clean_account`, `clean_tenant`, `clean_client`: failures of such addresses after the first allowance was used up
 */
export const COUNTER_KINDS = [
  'account',
  'device',
  'address',
  'tenant',
  'client',
  'clean_address',
  'clean_account',
  'clean_tenant',
  'clean_client',
] as const;

export type CounterKind = (typeof COUNTER_KINDS)[number];

/** How one kind of counter behaves. All times are in seconds. */
export interface BackoffPolicy {
  /** Failures until the first wait. */
  free: number;
  /** The first wait. */
  first: number;
  /** By what each wait is longer than the one before. */
  growth: number;
  longest: number;
  /** The time in which a counter at the longest wait decreases to zero. It decreases linearly. */
  forget: number;
}

export const DEFAULT_BACKOFF_POLICIES: Readonly<Record<CounterKind, BackoffPolicy>> = {
  account: { free: 5, first: 1, growth: 2, longest: 900, forget: 43_200 },
  device: { free: 10, first: 1, growth: 2, longest: 900, forget: 43_200 },
  // Many people may share one.
  address: { free: 30, first: 1, growth: 2, longest: 300, forget: 3_600 },
  // The waits stay short, because they apply to every login on a new device.
  tenant: { free: 1_000, first: 1, growth: 1.5, longest: 10, forget: 3_600 },
  client: { free: 10, first: 1, growth: 2, longest: 300, forget: 3_600 },
  // One failure, and the network is not clean for a day.
  clean_address: { free: 1, first: 86_400, growth: 1, longest: 86_400, forget: 86_400 },
  // An attacker with a thousand addresses does not use it up.
  clean_account: { free: 1_000, first: 1, growth: 2, longest: 60, forget: 86_400 },
  clean_tenant: { free: 1_000, first: 1, growth: 1.5, longest: 4, forget: 3_600 },
  clean_client: { free: 1_000, first: 1, growth: 2, longest: 60, forget: 86_400 },
};

const POLICY_BOUNDS: Readonly<Record<keyof BackoffPolicy, readonly [number, number]>> = {
  free: [1, 1_000_000_000],
  first: [1, 86_400],
  growth: [1, 100],
  longest: [1, 86_400],
  forget: [1, 31_536_000],
};

const WHOLE = /^\d{1,10}$/;
/** With more, a schedule that hardly grows would be very long. */
const TWO_DECIMALS = /^\d{1,3}(\.\d{1,2})?$/;

/**
 * Reads terms from a text such as `free=5 first=1 growth=2 longest=900 forget=43200`, in any order. What is left out
 * stays as in `defaults`.
 *
 * @returns the problem, where it cannot be read.
 */
export function parseBackoffPolicy(text: string, defaults: BackoffPolicy): BackoffPolicy | { problem: string } {
  const terms = { ...defaults };
  const named = new Set<string>();
  for (const word of text.trim().split(/[\s,]+/)) {
    const [name = '', value, ...more] = word.split('=');
    if (!isPolicyField(name) || value === undefined || more.length > 0)
      return { problem: `expected words such as free=5, of ${Object.keys(POLICY_BOUNDS).join(', ')}` };
    if (named.has(name)) return { problem: `expected ${name} once` };
    named.add(name);
    const [least, most] = POLICY_BOUNDS[name];
    const number = (name === 'growth' ? TWO_DECIMALS : WHOLE).test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) return { problem: `expected a ${name} from ${least} to ${most}` };
    terms[name] = number;
  }
  if (terms.first > terms.longest) return { problem: 'expected longest to be at least first' };
  if (terms.longest > terms.forget) return { problem: 'expected forget to be at least longest' };
  return terms;
}

function isPolicyField(name: string): name is keyof BackoffPolicy {
  return Object.hasOwn(POLICY_BOUNDS, name);
}

/** Terms as the stores go by them, so that what follows from which failure is decided here and nowhere else. */
export interface BackoffSchedule {
  readonly free: number;
  /** The wait after the failure number `free`, after the next one, and so on; the last one holds for all that follow. */
  readonly waitsMs: readonly number[];
  /** A counter counts no further. */
  readonly most: number;
  /** How much of a failure is forgotten in a millisecond. */
  readonly fading: number;
}

export function backoffScheduleOf({ free, first, growth, longest, forget }: BackoffPolicy): BackoffSchedule {
  const waitsMs = [first * 1000];
  if (growth > 1)
    for (let wait = first; wait < longest; ) {
      wait = Math.min(longest, wait * growth);
      waitsMs.push(Math.round(wait * 1000));
    }
  const most = free + waitsMs.length - 1;
  return { free, waitsMs, most, fading: most / (forget * 1000) };
}
