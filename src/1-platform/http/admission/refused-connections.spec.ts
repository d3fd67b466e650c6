import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { RefusedConnections } from './refused-connections';

class Connection {
  destroyed = false;
  isRead = true;
  pause(): void {
    this.isRead = false;
  }
  resume(): void {
    this.isRead = true;
  }
}

const refuse = async (refused: RefusedConnections, connections: readonly Connection[]): Promise<void> => {
  for (const connection of connections) refused.add(connection as unknown as Socket);
  await turn();
};
const many = (count: number): Connection[] => Array.from({ length: count }, () => new Connection());
const readOf = (connections: readonly Connection[]): number => connections.filter(({ isRead }) => isRead).length;

describe('connections that were refused', () => {
  it('are read while there are few', async () => {
    const refused = new RefusedConnections();
    const connections = many(16);
    await refuse(refused, connections);
    expect([readOf(connections), refused.waiting]).toEqual([16, 0]);
  });

  it('pause if there are many, and are read again in the order of their refusals', async () => {
    const refused = new RefusedConnections();
    const connections = many(100);
    await refuse(refused, connections);
    expect([readOf(connections), refused.waiting]).toEqual([16, 84]);
    refused.look();
    expect([readOf(connections), readOf(connections.slice(0, 32))]).toEqual([32, 32]);
    for (let n = 0; n < 5; n++) refused.look();
    expect([readOf(connections), refused.waiting]).toEqual([100, 0]);
  });

  it('pause behind the others if they retry at once', async () => {
    const refused = new RefusedConnections();
    const connections = many(40);
    await refuse(refused, connections);
    refused.look();
    const again = connections.slice(16, 32);
    await refuse(refused, again);
    expect(readOf(again)).toBe(0);
    refused.look();
    expect(readOf(connections.slice(32))).toBe(8);
  });

  it('are dropped when they are closed', async () => {
    const refused = new RefusedConnections();
    const connections = many(30);
    await refuse(refused, connections);
    for (const connection of connections) connection.destroyed = true;
    refused.look();
    expect([readOf(connections), refused.waiting]).toEqual([16, 0]);
    await refuse(refused, connections);
    expect(refused.waiting).toBe(0);
  });

  it('are all read when the service stops', async () => {
    const refused = new RefusedConnections();
    const connections = many(100);
    await refuse(refused, connections);
    refused.readAll();
    expect([readOf(connections), refused.waiting]).toEqual([100, 0]);
  });
});
