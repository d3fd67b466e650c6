import { readFile } from 'node:fs/promises';

const ESTABLISHED = '01';
const LISTEN = '0A';
const HEXADECIMAL = 16;

/** How many are connected to a port of this machine, in the network of this process. */
export const connectionsTo = (port: number): Promise<number> => socketsAt(port, ESTABLISHED);

/** Whether anybody listens on a port of this machine, at whatever address. */
export const isTaken = async (port: number): Promise<boolean> => (await socketsAt(port, LISTEN)) > 0;

async function socketsAt(port: number, wanted: string): Promise<number> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  // Number, local address, remote address, state.
  const isOne = (line: string): boolean => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === wanted && parseInt(local?.split(':')[1] ?? '', HEXADECIMAL) === port;
  };
  return tables.reduce((sum, table) => sum + table.split('\n').filter(isOne).length, 0);
}
