/** Returns the median of the values, or the mean of the two middle ones. @throws Error if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('there is no median of nothing');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Returns the difference between the greatest and the smallest value as a share of the median: 0.1 is a tenth. */
export function relativeSpread(values: readonly number[]): number {
  const centre = median(values);
  return centre === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / centre;
}

/** Returns the mean without the smallest and the greatest values. @param share of the values that is left out at either end. */
export function trimmedMean(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const omitted = Math.floor(sorted.length * share);
  const kept = sorted.slice(omitted, sorted.length - omitted);
  if (kept.length === 0) throw new Error('there is no mean of nothing');
  return kept.reduce((total, value) => total + value, 0) / kept.length;
}
