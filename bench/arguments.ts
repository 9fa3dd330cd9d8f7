import { parseArgs } from 'node:util';
import { EXTRA_IDS, type ExtraId, isExtra } from './extras.ts';
import { ROW_IDS, type RowId } from './rows.ts';

/** The parsed arguments of the benchmark. */
export interface BenchArguments {
  /** `full`: measures everything and publishes the results. `chosen`: measures what the arguments name. */
  readonly mode: 'full' | 'quick' | 'chosen' | 'profile' | 'turns';
  readonly rows: readonly RowId[];
  /** Measurements in addition to the rows. */
  readonly extras: readonly ExtraId[];
  /** Names or families of targets. Undefined for all. */
  readonly targets: readonly string[] | undefined;
  /** The directory of another compiled checkout to measure in comparison. */
  readonly against: string | undefined;
  /** The duration of a window, a profile or a turn. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** How many processes of each target take turns. */
  readonly processes: number;
  /** `wrk` or `node`. By default wrk if it is installed. */
  readonly load: string | undefined;
}

const BENCH_USAGE = `npm run bench                      everything, half an hour or so; writes bench/results/latest.*
npm run bench -- quick             short windows, fewer rows, about 3 minutes
npm run bench -- U P login         these rows or measurements
npm run bench -- profile U         where Portico's processor time goes in a row
npm run bench -- turns U P         targets that differ by little: several processes of each take short turns

rows:          ${ROW_IDS.join(' ')}
measurements:  ${EXTRA_IDS.join(' ')}
--targets portico,ideal,mercurius  only these (names or families, see bench/README.md)
--against ../before                Portico of another checkout too, which has been built: all its targets, or those that --targets names
--seconds 3  --warm-up 4  --rounds 3  --connections 50  --load wrk|node
--processes 5                      of each target, for turns, with --seconds 1 and --rounds 12 there
`;

const QUICK_ROWS: readonly RowId[] = ['U', 'L', 'W', 'P'];

/** @throws Error with the usage for invalid arguments. */
export function parseBenchArguments(given: readonly string[]): BenchArguments {
  const { values, positionals } = parseBenchWords(given);
  const modes = positionals.filter(isMode);
  const words = positionals.filter((word) => !isMode(word));
  const rows = words.filter(isRow);
  const extras = words.filter(isExtra);
  const unknown = words.find((word) => !isRow(word) && !isExtra(word));
  if (unknown !== undefined) throw benchUsageError(`there is no row or measurement "${unknown}"`);
  const quick = modes.includes('quick');
  const profile = modes.includes('profile');
  const turns = modes.includes('turns');
  if (turns && (rows.length === 0 || extras.length > 0)) throw benchUsageError('turns are of rows that are named');
  if (profile && (rows.length !== 1 || extras.length > 0)) throw benchUsageError('a profile is of one row');
  const nothingChosen = words.length === 0;
  const everything = nothingChosen && values.targets === undefined && values.against === undefined;
  const mode = profile ? 'profile' : turns ? 'turns' : quick ? 'quick' : everything ? 'full' : 'chosen';
  return {
    mode,
    rows: nothingChosen ? (quick ? QUICK_ROWS : ROW_IDS) : rows,
    extras: nothingChosen && !quick ? EXTRA_IDS : extras,
    targets: values.targets?.split(',').filter((name) => name !== ''),
    against: values.against,
    seconds: numberOf('seconds', values.seconds, turns ? 1 : quick ? 2 : 3),
    warmUpSeconds: numberOf('warm-up', values['warm-up'], quick ? 2 : 4),
    rounds: numberOf('rounds', values.rounds, turns ? 12 : quick ? 1 : 3),
    connections: numberOf('connections', values.connections, 50),
    processes: numberOf('processes', values.processes, 5),
    load: oneOf('load', values.load, ['wrk', 'node']),
  };
}

function parseBenchWords(given: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        targets: text,
        against: text,
        seconds: text,
        'warm-up': text,
        rounds: text,
        connections: text,
        processes: text,
        load: text,
      },
    });
  } catch (error) {
    throw benchUsageError(error instanceof Error ? error.message : String(error));
  }
}

function isMode(word: string): word is 'quick' | 'profile' | 'turns' {
  return word === 'quick' || word === 'profile' || word === 'turns';
}

function isRow(word: string): word is RowId {
  return (ROW_IDS as readonly string[]).includes(word);
}

function numberOf(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,4}$/.test(text)) throw benchUsageError(`--${name} is a whole number from 1 on`);
  return Number(text);
}

function oneOf(name: string, text: string | undefined, choice: readonly string[]): string | undefined {
  if (text !== undefined && !choice.includes(text)) throw benchUsageError(`--${name} is one of ${choice.join(', ')}`);
  return text;
}

function benchUsageError(problem: string): Error {
  return new Error(`${problem}\n\n${BENCH_USAGE}`);
}
