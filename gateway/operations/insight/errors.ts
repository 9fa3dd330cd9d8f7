import { GatewayError } from '../../errors.ts';

/** Arguments of a command that it does not take. @param path of the first one within `args`. */
export function invalidArguments(path: string): GatewayError {
  return new GatewayError('parse-failed', 'the arguments are not those of the command', { path });
}

/** A file that the metadata is not read from, whatever there is of that name. */
export function unknownMetadataFile(): GatewayError {
  return new GatewayError('not-found', 'the metadata is not read from a file of that name', {
    path: '$.args.name',
    status: 400,
  });
}
