/**
 * Where a database URL leads, as the driver reads it: parameters come
 * before the authority, and a path is a Unix socket.
 */
export function databaseAddress(databaseUrl: string): { host: string; port: number } {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const host = decodeURIComponent(searchParams.get('host') ?? hostname);
  return {
    // Beside its Unix socket a server listens on this machine.
    host: host === '' || host.startsWith('/') ? 'localhost' : host,
    port: Number(searchParams.get('port') ?? port) || 5432,
  };
}
