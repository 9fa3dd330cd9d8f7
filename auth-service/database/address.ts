import pg from 'pg';

/** Returns whether `url` is a PostgreSQL URL that the driver can parse. */
export function isDatabaseUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && parseAddress(url) !== undefined;
}

/** Returns whether `url` has a password, or names a Unix socket, where file permissions replace it. */
export function carriesCredentials(url: string): boolean {
  const client = parseAddress(url);
  return client !== undefined && (Boolean(client.password) || client.host.startsWith('/'));
}

/** Describes host, port, user and database without the password. */
export function describeAddress(client: pg.Client): string {
  const place = client.host.startsWith('/') ? `the socket in ${client.host}` : `${client.host}:${client.port}`;
  return `database "${client.database}" at ${place} as user "${client.user}"`;
}

function parseAddress(url: string): pg.Client | undefined {
  try {
    return new pg.Client({ connectionString: url });
  } catch {
    return undefined;
  }
}
