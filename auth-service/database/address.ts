import pg from 'pg';

/** Whether `url` is a PostgreSQL URL that the driver can read. */
export function isDatabaseUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && parseAddress(url) !== undefined;
}

/** Whether `url` brings a password, or names a Unix socket, whose file permissions stand in for one. */
export function carriesCredentials(url: string): boolean {
  const client = parseAddress(url);
  return client !== undefined && (Boolean(client.password) || client.host.startsWith('/'));
}

/** Host, port, user and database in words, without the password. */
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
