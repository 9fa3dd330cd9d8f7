import { parseArgs } from 'node:util';
import { BALANCERS, type BalancerName, isInstalled } from './cluster/index.ts';
import { SUITE } from './suite.ts';

/** What the suite was asked to do. */
export interface FaultArguments {
  readonly mode: 'faults' | 'list' | keyof typeof DEFAULT_MINUTES;
  /** Groups or parts of names of faults; none: all. */
  readonly words: readonly string[];
  /** Of a soak, or of jobs. */
  readonly minutes: number;
  /** Requests a second. */
  readonly rate: number;
  readonly balancer: BalancerName;
  /** Where the logs of all processes are copied at the end; undefined: nowhere. */
  readonly logs: string | undefined;
}

const FAULTS_USAGE = `npm run faults                        every fault, under load, about ten minutes
npm run faults -- postgres kills      these groups, or faults whose name contains the words
npm run faults -- list                what there is
npm run faults -- soak 60             so many minutes of load and nothing else, one line a minute
npm run faults -- jobs 10             so many minutes of jobs while processes and PostgreSQL are killed at random
npm run faults -- jobs-soak 60        so many minutes of jobs and nothing else, one line a minute

--rate 60  --balancer ${BALANCERS.join('|')}  --logs <directory to copy the logs of all processes to>
groups: ${[...new Set(SUITE.map(({ group }) => group))].join(' ')}
`;

const DEFAULT_RATE = 60;
/** Modes that last for a number of minutes. */
const DEFAULT_MINUTES = { soak: 60, jobs: 10, 'jobs-soak': 60 } as const;

/** @throws with the usage when something cannot be understood. */
export function parseFaultArguments(given: readonly string[]): FaultArguments {
  const { values, positionals } = parseFaultWords(given);
  const [first, ...others] = positionals;
  const mode = isTimed(first) || first === 'list' ? first : 'faults';
  const preferred = BALANCERS.find(isInstalled) ?? 'plain';
  return {
    mode,
    words: mode === 'faults' ? positionals : [],
    minutes: isTimed(mode) ? positiveWholeNumber('the minutes', others[0], DEFAULT_MINUTES[mode]) : 0,
    rate: positiveWholeNumber('--rate', values.rate, DEFAULT_RATE),
    logs: values.logs,
    balancer: balancerNamed(values.balancer) ?? preferred,
  };
}

function isTimed(word: string | undefined): word is keyof typeof DEFAULT_MINUTES {
  return word !== undefined && Object.hasOwn(DEFAULT_MINUTES, word);
}

function parseFaultWords(given: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...given], allowPositionals: true, options: { rate: text, balancer: text, logs: text } });
  } catch (error) {
    throw faultUsageError(error instanceof Error ? error.message : String(error));
  }
}

function positiveWholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw faultUsageError(`${name}: expected a whole number from 1 to 9999`);
  return Number(text);
}

function balancerNamed(text: string | undefined): BalancerName | undefined {
  if (text === undefined) return undefined;
  const found = BALANCERS.find((name) => name === text);
  if (!found) throw faultUsageError(`--balancer is one of ${BALANCERS.join(', ')}`);
  if (!isInstalled(found)) throw faultUsageError(`${found} is not installed`);
  return found;
}

function faultUsageError(problem: string): Error {
  return new Error(`${problem}\n\n${FAULTS_USAGE}`);
}
