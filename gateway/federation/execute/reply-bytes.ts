/** A text in UTF-8, as one buffer or in the chunks in which it arrived. */
export type ReplyBytes = Buffer | readonly Buffer[];

export function replyText(reply: string | ReplyBytes): string {
  if (typeof reply === 'string') return reply;
  return (Buffer.isBuffer(reply) ? reply : Buffer.concat(reply)).toString('utf8');
}
