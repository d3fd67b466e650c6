import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UnsentAnswers } from './unsent-answers';

class Response extends EventEmitter {
  destroyed = false;
  readonly socket: { writableLength: number };

  constructor(bytes: number) {
    super();
    this.socket = { writableLength: bytes };
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('answers that clients do not read', () => {
  const PATIENCE_MS = 20;
  let unsent: UnsentAnswers;
  beforeEach(() => {
    unsent = new UnsentAnswers(1_000_000, PATIENCE_MS);
  });

  function answer(bytes: number): Response {
    const response = new Response(bytes);
    unsent.add(response as unknown as ServerResponse);
    return response;
  }

  it('lose their connections once their time is over, and the later the larger they are', async () => {
    const [large, small] = [answer(640_000), answer(1)];
    await once(small, 'close');
    expect([small.destroyed, large.destroyed]).toEqual([true, false]);
  });

  it('lose them at once, the oldest first, if they are too large together', () => {
    const answers = [answer(500_000), answer(400_000), answer(200_000), answer(300_000)];
    expect(answers.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    // The newest stays.
    expect([answer(9_000_000).destroyed, answers.every(({ destroyed }) => destroyed)]).toEqual([false, true]);
  });

  it('lose them before answers that are read meanwhile, whoever was first', () => {
    const [read, unread] = [answer(600_000), answer(300_000)];
    read.socket.writableLength = 590_000;
    const newest = answer(200_000);
    expect([read, unread, newest].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  });

  it('are forgotten once they are read, so that a kept connection stays', async () => {
    const read = answer(900_000);
    const small = answer(1);
    read.emit('close');
    small.emit('close');
    const [next, last] = [answer(900_000), answer(1)];
    await once(last, 'close');
    expect([read.destroyed, small.destroyed, next.destroyed]).toEqual([false, false, false]);
  });

  it('are none of those that the system has taken', async () => {
    const taken = answer(0);
    answer(2_000_000);
    await once(answer(1), 'close');
    expect(taken.destroyed).toBe(false);
  });
});
