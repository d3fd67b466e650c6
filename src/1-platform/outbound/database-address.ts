/**
 * The address of a database URL, as the driver reads it: parameters override the authority, and a path is a
 * Unix socket.
 */
export function databaseAddress(databaseUrl: string): { host: string; port: number } {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const host = decodeURIComponent(searchParams.get('host') ?? hostname);
  return {
    // In addition to its Unix socket, a server listens on this machine.
    host: host === '' || host.startsWith('/') ? 'localhost' : host,
    port: Number(searchParams.get('port') ?? port) || 5432,
  };
}
