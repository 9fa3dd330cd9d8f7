import { acceptPepper, countPasswords } from '../../use-cases/index.ts';
import { at, CommandError, type DatabaseCommand } from '../command.ts';
import { done } from '../print.ts';

export const pepperCommands: readonly DatabaseCommand[] = [
  {
    name: 'pepper accept',
    parameters: ['<version>'],
    help:
      'Takes the pepper that the settings have for this version, though the database knows another one by it. ' +
      'To users whose hash was made with that one every password is wrong from then on.',
    async run({ config, database, bcrypt, now, author }, given) {
      const version = Number(at(given, 0));
      const { secrets } = config.passwords.peppers;
      if (!secrets.has(version)) {
        const known = [...secrets.keys()].join(', ');
        throw new CommandError(`the settings have no pepper of this version; they have: ${known}`);
      }
      await acceptPepper(database, { ...config.passwords, bcrypt: bcrypt() }, version, now(), author);
      const counts = await countPasswords(database);
      const users = counts.find(({ pepperVersion }) => pepperVersion === version)?.users ?? 0;
      return done(
        `the pepper of version ${version} is taken; ${users} users have a hash of this version, and log in if it was made with this pepper`,
        { version, users },
      );
    },
  },
];
