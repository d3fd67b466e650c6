import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { Exec } from '@kubernetes/client-node';
import { eventually } from '../../../../../test/support/eventually';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { Access } from '../cluster/access';
import { PodSupervisors } from './pod-supervisors';
import type { SupervisedContainer } from './pod-state';

/** A busy machine that delays a line for less makes no hung checkpoint of it. */
const HUNG_AFTER_MS = 2_000;
const LINE_EVERY_MS = 50;
/** Lines that come for longer than that. */
const MANY_LINES = 1.25 * (HUNG_AFTER_MS / LINE_EVERY_MS);
const container = {
  ...{ namespace: 'default', pod: 'web', container: 'main' },
  program: ['ccp-agent'],
} as unknown as SupervisedContainer;
const result = { reference: '/store/1', bytes: 1, stages: [], criu: {} };

/** A connection to a program in a container, which prints line after line until it has printed all. */
class Connection extends EventEmitter {
  private readonly timer: NodeJS.Timeout;
  isOpen = true;

  constructor(lineAt: (index: number) => object | undefined, stdout: Writable, succeed: () => void) {
    super();
    let next = 0;
    this.timer = setInterval(() => {
      const line = lineAt(next++);
      if (line) return stdout.write(`${JSON.stringify(line)}\n`);
      succeed();
      this.terminate();
    }, LINE_EVERY_MS);
  }

  terminate(): void {
    clearInterval(this.timer);
    this.isOpen = false;
    this.emit('close');
  }
}

describe('The checkpoint of a container', () => {
  let connection: Connection | undefined;
  let connections: Connection[];

  beforeEach(() => (connections = []));

  const printing = (lineAt: (index: number) => object | undefined): void =>
    void jest.spyOn(Exec.prototype, 'exec').mockImplementation((...asked) => {
      const [stdout, note] = [asked[4] as Writable, asked[8]!];
      connection = new Connection(lineAt, stdout, () => note({ status: 'Success' }));
      return Promise.resolve(connection as never);
    });
  const progress = (bytesDone: number) => ({ progress: { stage: 'hash', bytesDone, bytesTotal: null } });
  const supervisors = () =>
    new PodSupervisors({ config: {} } as Access, new AbortController().signal, { hungAfterMs: HUNG_AFTER_MS });
  const take = (): Promise<CheckpointResult> =>
    supervisors().checkpoint(container, { id: 'c1', leaveRunning: true }, () => {});

  afterEach(() => {
    for (const one of [connection, ...connections]) one?.terminate();
    jest.restoreAllMocks();
  });

  it('is given up when its line is only repeated, and its connection is ended', async () => {
    printing(() => progress(7));
    await expect(take()).rejects.toMatchObject({
      facts: { cause: 'checkpoint_hung', message: expect.stringContaining('"hash"') },
    });
    expect(connection!.isOpen).toBe(false);
  });

  it('is waited for behind another one as long as its supervisor repeats its line', async () => {
    const waiting = { progress: { stage: 'wait', bytesDone: 0, bytesTotal: null } };
    printing((index) => [waiting, result, undefined][Math.max(0, index - MANY_LINES)]);
    expect(await take()).toEqual(result);
  });

  it('keeps its place while it is dumped, and gives it to the next one while it is uploaded', async () => {
    let stage = 'dump';
    let moved = 0;
    const exec = jest.spyOn(Exec.prototype, 'exec').mockImplementation((...asked) => {
      const lineAt = (index: number) => ({ progress: { stage, bytesDone: index, bytesTotal: null } });
      const one = new Connection(lineAt, asked[4] as Writable, () => undefined);
      connections.push(one);
      return Promise.resolve(one as never);
    });
    const stop = new AbortController();
    const one = new PodSupervisors({ config: {} } as Access, stop.signal, { dumpsAtOnce: 1 });
    const all = ['c1', 'c2'].map((id) => one.checkpoint(container, { id, leaveRunning: true }, () => void moved++));
    const ended = Promise.allSettled(all);
    await eventually(() => expect(moved).toBeGreaterThan(3));
    expect(exec).toHaveBeenCalledTimes(1);
    stage = 'upload';
    await eventually(() => expect(exec).toHaveBeenCalledTimes(2));
    stop.abort(new Error('stopped'));
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('is waited for as long as it moves', async () => {
    printing((index) => [progress(index), result, undefined][Math.max(0, index - MANY_LINES)]);
    expect(await take()).toEqual(result);
  });
});
