/** A hundred operations with the longest messages would take a hundred times the memory of any other connection. */
const LONGEST_MESSAGES = 4;
/** Messages up to this length always have room, in characters. */
const SHORT_MESSAGE = 16_384;

/**
 * Whether another operation of a connection may begin beside those that run: their messages stay in memory for as long as they
 * run.
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
