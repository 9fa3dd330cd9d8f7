import { text } from 'node:stream/consumers';
import type { GroupProcess } from '../machine/index.ts';

/** Returns everything that `member` writes until its end. @throws Error if it writes nothing. */
export async function outputOf(member: GroupProcess): Promise<string> {
  const written = member.process.stdout ? await text(member.process.stdout) : '';
  await member.stop();
  if (written === '') throw new Error(`${member.name} ${member.lastWords()}`);
  return written;
}
