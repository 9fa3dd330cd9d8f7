import type { MeasuredRow } from '../measurements/index.ts';
import { ROWS } from '../rows.ts';
import type { Target } from '../targets/index.ts';

/** A measurement in comparison to the limit and the peers in the same row. */
export interface ComparedRow extends MeasuredRow {
  readonly title: string;
  readonly kind: Target['kind'];
  /** The requests per second as a share of the handwritten limit's. Undefined if the limit was not measured. */
  readonly ofIdeal: number | undefined;
  /** The requests per second as a multiple of the best peer that does not share upstream responses. */
  readonly ofBestPeer: number | undefined;
  /** Whether concurrent requests shared upstream responses, which requests of different callers could not. */
  readonly shares: boolean;
}

/** If the upstream calls are below this share of the necessary ones, requests shared them. */
const SHARED_BELOW = 0.95;

/** Compares the measurements of each row, in the order of `targets`. */
export function compareRows(measured: readonly MeasuredRow[], targets: readonly Target[]): ComparedRow[] {
  return targets.flatMap((target) =>
    measured
      .filter((result) => result.target === target.name)
      .map((result) => {
        const sameRow = measured.filter(({ row }) => row === result.row);
        const ideal = sameRow.find((other) => other.target === 'ideal');
        const peers = sameRow.filter(
          (other) =>
            targets.some(({ name, kind }) => kind === 'peer' && name === other.target) && !sharesAnswers(other),
        );
        const best = Math.max(0, ...peers.map(({ requestsPerSecond }) => requestsPerSecond));
        return {
          ...result,
          title: target.title,
          kind: target.kind,
          ofIdeal: ideal && result.requestsPerSecond / ideal.requestsPerSecond,
          ofBestPeer: best > 0 ? result.requestsPerSecond / best : undefined,
          shares: sharesAnswers(result),
        };
      }),
  );
}

function sharesAnswers({ row, upstreamPerRequest }: MeasuredRow): boolean {
  return upstreamPerRequest < ROWS[row].calls * SHARED_BELOW;
}
