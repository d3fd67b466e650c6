import { Readable } from 'node:stream';
import { orderFrom, orderIn } from './standby';

describe('A supervisor that stands by', () => {
  const from = (...chunks: string[]) => orderFrom(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
  const ORDER = { namespace: 'default', name: 'copy', uid: 'u', restore: '/store/checkpoints/c' };

  it('gets its order when its input ends, in however many pieces', async () => {
    const text = `${JSON.stringify(ORDER)}\n`;
    expect(await from(text)).toEqual(ORDER);
    expect(await from(text.slice(0, 20), text.slice(20))).toEqual(ORDER);
  });

  it('has nothing to do if its input ends before', async () => {
    expect(await from()).toBeUndefined();
  });

  it('gets its order from a variable in a pod', () => {
    expect(orderIn(JSON.stringify(ORDER))).toEqual(ORDER);
    expect(() => orderIn('')).toThrow('not complete');
  });

  it.each([
    ['was cut', JSON.stringify(ORDER).slice(0, -5)],
    ['lacks a member', JSON.stringify({ ...ORDER, uid: undefined })],
    ['has a member that is no text', JSON.stringify({ ...ORDER, name: 7 })],
    ['allows something else', JSON.stringify({ ...ORDER, allowIncompatible: 'yes' })],
    ['is none', 'null'],
    ['is far too long', JSON.stringify({ ...ORDER, name: 'n'.repeat(5_000_000) })],
  ])('refuses an order that %s', async (_what, text) => {
    await expect(from(text)).rejects.toThrow('not complete');
  });
});
