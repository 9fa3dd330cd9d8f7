/**
 * The most memory of a connection's operations, as a multiple of the longest message. Without this limit, a connection with a
 * hundred operations could use a hundred times that length.
 */
const LONGEST_MESSAGES = 4;
/** Messages up to this length are always accepted, in characters. */
const SHORT_MESSAGE = 16_384;

/**
 * Returns whether another operation may begin on a connection. The messages of running operations stay in memory.
 *
 * @param length of its message.
 */
export function hasRoomFor(
  length: number,
  others: Iterable<{ readonly length: number }>,
  maxMessageBytes: number,
): boolean {
  if (length <= SHORT_MESSAGE) return true;
  let total = length;
  for (const other of others) total += other.length;
  return total <= LONGEST_MESSAGES * maxMessageBytes;
}
