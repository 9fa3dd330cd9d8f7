/**
 * The kinds of counters:
 * - `account`: wrong passwords for one account, from devices on which it was never used
 * - `device`: wrong passwords for one account from a device on which it was used, so that attempts from elsewhere cannot use up
 *   its owner's allowance
 * - `address`: wrong passwords and client secrets from one network, for all accounts
 * - `tenant`: wrong passwords for all accounts of a tenant, from all networks
 * - `client`: wrong secrets of one OAuth client
 *
 * Strangers can use up the allowances of an account, a tenant and a client. Addresses without failures of their own have a
 * second allowance, which others cannot use:
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

/** The behaviour of one kind of counter. All times are in seconds. */
export interface BackoffPolicy {
  /** The number of failures before the first delay. */
  free: number;
  /** The first delay. */
  first: number;
  /** The factor by which each delay is longer than the previous one. */
  growth: number;
  longest: number;
  /** The time in which a counter at the longest delay decreases to zero. It decreases linearly. */
  forget: number;
}

export const DEFAULT_BACKOFF_POLICIES: Readonly<Record<CounterKind, BackoffPolicy>> = {
  account: { free: 5, first: 1, growth: 2, longest: 900, forget: 43_200 },
  device: { free: 10, first: 1, growth: 2, longest: 900, forget: 43_200 },
  // Many people may share an address.
  address: { free: 30, first: 1, growth: 2, longest: 300, forget: 3_600 },
  // The delays stay short, since they apply to every login on a new device.
  tenant: { free: 1_000, first: 1, growth: 1.5, longest: 10, forget: 3_600 },
  client: { free: 10, first: 1, growth: 2, longest: 300, forget: 3_600 },
  // After one failure, a network is not clean for a day.
  clean_address: { free: 1, first: 86_400, growth: 1, longest: 86_400, forget: 86_400 },
  // An attacker with a thousand addresses cannot use it up.
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
/** With more decimals, a schedule that hardly grows would be very long. */
const TWO_DECIMALS = /^\d{1,3}(\.\d{1,2})?$/;

/**
 * Parses terms from a text such as `free=5 first=1 growth=2 longest=900 forget=43200`, in any order. Absent terms have the
 * value in `defaults`.
 *
 * @returns the problem if the text is invalid.
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

/** Terms in the form that stores use. The relation between failures and delays is defined only here. */
export interface BackoffSchedule {
  readonly free: number;
  /** The delay after failure number `free`, after the next one, and so on. The last one applies to all further failures. */
  readonly waitsMs: readonly number[];
  /** The highest count. */
  readonly most: number;
  /** How much of a failure is forgotten in each millisecond. */
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
