/** A text in UTF-8, in one piece or in the pieces in which it came. */
export type ReplyBytes = Buffer | readonly Buffer[];

export function replyText(reply: string | ReplyBytes): string {
  if (typeof reply === 'string') return reply;
  return (Buffer.isBuffer(reply) ? reply : Buffer.concat(reply)).toString('utf8');
}
