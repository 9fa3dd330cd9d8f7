import { acceptPepper, countPasswords } from '../../use-cases/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { unknownPepper } from '../errors.ts';
import { messageOutcome } from '../print.ts';

export const pepperCommands: DatabaseCommandRuns = {
  async 'pepper accept'({ config, database, bcrypt, now, author }, given) {
    const version = Number(positionalAt(given, 0));
    const { secrets } = config.passwords.peppers;
    if (!secrets.has(version)) throw unknownPepper([...secrets.keys()]);
    await acceptPepper(database, { ...config.passwords, bcrypt: bcrypt() }, version, now(), author);
    const counts = await countPasswords(database);
    const users = counts.find(({ pepperVersion }) => pepperVersion === version)?.users ?? 0;
    return messageOutcome(
      `the pepper of version ${version} is accepted; ${users} users have a hash of this version and can log in if it was made with this pepper`,
      { version, users },
    );
  },
};
