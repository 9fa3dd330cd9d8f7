/** The middle one of the values; between two, half way. @throws when there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('there is no median of nothing');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** How far apart the values are, from the least to the most, as a share of the median: 0.1 is a tenth. */
export function relativeSpread(values: readonly number[]): number {
  const centre = median(values);
  return centre === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / centre;
}
