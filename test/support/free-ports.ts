import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/**
 * Below the ports that Linux gives to connections. The program that gets a port may listen much later, and a
 * connection of somebody else must not have taken it meanwhile.
 */
const [LOWEST, HIGHEST] = [15_000, 32_000];
const MAX_ATTEMPTS = 200;

/** For programs that cannot report the port they chose, so it must be given to them. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; found.size < count; attempt++) {
    if (attempt >= MAX_ATTEMPTS + count) throw new Error(`There are no ${count} free ports.`);
    const port = randomInt(LOWEST, HIGHEST);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}
