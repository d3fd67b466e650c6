import { AgentFailure } from '../failures';
import { eventually } from '../../../test/support/eventually';
import type { MachineFacts } from '../machine/machine-facts';
import type { StageClock } from '../stage-clock';
import { CheckpointQueue, MAX_KEPT, MAX_WAITING, type QueueOptions } from './checkpoint-queue';
import type { CheckpointLine, CheckpointRequest, CheckpointResult, CheckpointState } from './control/control-protocol';

const resultOf = (id: string): CheckpointResult => ({ reference: `ref-${id}`, bytes: 1, stages: [], criu: {} });
const wish = (id: string): CheckpointRequest => ({ id, leaveRunning: true });

describe('The checkpoints of a workload', () => {
  let running: {
    readonly id: string;
    readonly clock: StageClock;
    readonly givenUp: AbortSignal;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[];
  /** Whether each record that was written has to be durable. */
  let records: boolean[];
  const queue = (known: CheckpointState[] = [], options: QueueOptions = {}): CheckpointQueue => {
    const own = records;
    return new CheckpointQueue(
      known,
      ({ id }, clock, givenUp) =>
        new Promise((resolve, reject) =>
          running.push({ id, clock, givenUp, resolve: () => resolve({ result: resultOf(id) }), reject }),
        ),
      (durable) => own.push(durable),
      options,
    );
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    running = [];
    records = [];
  });

  it('are taken one after the other', async () => {
    const checkpoints = queue();
    const first = checkpoints.request(wish('a'));
    const second = checkpoints.request(wish('b'));
    await turn();
    expect(running.map(({ id }) => id)).toEqual(['a']);
    running[0]!.resolve();
    await expect(first).resolves.toEqual({ result: resultOf('a') });
    await turn();
    expect(running.map(({ id }) => id)).toEqual(['a', 'b']);
    running[1]!.resolve();
    await second;
    expect(records).toHaveLength(4);
  });

  it('are taken once for each id, whoever asks and whenever', async () => {
    const checkpoints = queue();
    const lines: CheckpointLine[] = [];
    const first = checkpoints.request(wish('a'));
    await turn();
    running[0]!.clock.enter('dump');
    const second = checkpoints.request(wish('a'), (line) => lines.push(line));
    expect(lines).toEqual([{ progress: { stage: 'dump', bytesDone: 0, bytesTotal: null } }]);
    running[0]!.resolve();
    expect(await first).toEqual(await second);
    expect(await checkpoints.request(wish('a'))).toEqual({ result: resultOf('a') });
    expect(running).toHaveLength(1);
  });

  it('repeat their last line while they wait and while nothing changes, until they end', async () => {
    const checkpoints = queue([], { repeatMs: 20 });
    const lines: { a: string[]; b: string[] } = { a: [], b: [] };
    const request = (id: 'a' | 'b') =>
      checkpoints.request(wish(id), ({ progress }) => lines[id].push(progress?.stage ?? 'none'));
    const ends = [request('a'), request('b')];
    await turn();
    running[0]!.clock.enter('dump');
    await eventually(() => expect(lines.a.filter((stage) => stage === 'dump').length).toBeGreaterThan(2));
    await eventually(() => expect(lines.b.filter((stage) => stage === 'wait').length).toBeGreaterThan(2));
    running[0]!.resolve();
    await ends[0];
    const { length } = lines.a;
    await eventually(() => expect(running).toHaveLength(2));
    const waited = lines.b.length;
    await eventually(() => expect(lines.b.length).toBeGreaterThan(waited + 1));
    expect(lines.a).toHaveLength(length);
    running[1]!.resolve();
    await ends[1];
  });

  it('report what went wrong, and let the next one have its turn', async () => {
    const checkpoints = queue();
    const first = checkpoints.request(wish('a'));
    const second = checkpoints.request(wish('b'));
    await turn();
    running[0]!.reject(new AgentFailure({ cause: 'io_uring', message: 'No.' }));
    await expect(first).resolves.toEqual({ failure: { cause: 'io_uring', message: 'No.' } });
    await turn();
    running[1]!.reject(new Error('Oh.'));
    await expect(second).resolves.toEqual({ failure: { cause: 'unclassified', message: 'Oh.' } });
  });

  it('are answered before anything waits for the disk, which only a failure needs: the store has the others', async () => {
    const checkpoints = queue();
    const answered = checkpoints.request(wish('a')).then(() => [...records]);
    await turn();
    running[0]!.resolve();
    expect(await answered).toEqual([false, false]);
    const failed = checkpoints.request(wish('b')).then(() => [...records]);
    await turn();
    running[1]!.reject(new Error('Oh.'));
    expect(await failed).toEqual([false, false, false, false]);
    await checkpoints.idle();
    expect(records).toEqual([false, false, false, false, true]);
  });

  it('are over when what follows the answer is, and show the machine to who asked only', async () => {
    const [follows, machine] = [Promise.withResolvers<void>(), { kernel: '6.1' } as MachineFacts];
    const taken = { result: { ...resultOf('a'), machine }, afterwards: () => follows.promise };
    const checkpoints = new CheckpointQueue(
      [],
      () => Promise.resolve(taken),
      () => {},
    );
    expect(await checkpoints.request(wish('a'))).toEqual({ result: { ...resultOf('a'), machine } });
    expect(checkpoints.states).toEqual([{ id: 'a', state: 'ready', result: resultOf('a') }]);
    const idle = checkpoints.idle().then(() => 'idle');
    expect(await Promise.race([idle, turn()])).toBeUndefined();
    follows.resolve();
    expect(await idle).toBe('idle');
  });

  it('wait in a line that has an end', async () => {
    const checkpoints = queue();
    for (let i = 0; i <= MAX_WAITING; i++) void checkpoints.request(wish(`id-${i}`));
    expect(() => checkpoints.request(wish('one-more'))).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ cause: 'busy' }) }),
    );
    for (let i = 0; i <= MAX_WAITING; i++) {
      await turn();
      running[i]!.resolve();
    }
    await checkpoints.idle();
  });

  it('are known after the supervisor was started again, and those that it broke off have failed', async () => {
    const known: CheckpointState[] = [
      { id: 'a', state: 'ready', result: resultOf('a') },
      { id: 'b', state: 'in_progress', progress: null },
    ];
    const checkpoints = queue(known);
    expect(await checkpoints.request(wish('a'))).toEqual({ result: resultOf('a') });
    expect(await checkpoints.request(wish('b'))).toMatchObject({ failure: { cause: 'workload_ended' } });
    expect(running).toEqual([]);
  });

  it('are forgotten when there are too many, the oldest first', async () => {
    const known = Array.from({ length: MAX_KEPT + 5 }, (_, i): CheckpointState => ({
      id: `id-${i}`,
      state: 'ready',
      result: resultOf(`${i}`),
    }));
    const checkpoints = queue(known);
    void checkpoints.request(wish('new'));
    expect(checkpoints.states).toHaveLength(MAX_KEPT);
    expect(checkpoints.states[0]!.id).toBe('id-6');
    await turn();
    running[0]!.resolve();
    await checkpoints.idle();
  });

  describe('one of which hangs', () => {
    /** A busy machine that delays a step for less makes no hung checkpoint of it. */
    const HUNG_AFTER_MS = 1_000;
    const said: string[] = [];
    const hanging = (options: QueueOptions = {}) =>
      queue([], { hungAfterMs: HUNG_AFTER_MS, repeatMs: 20, say: (one) => void said.push(one), ...options });
    const stateOf = (checkpoints: CheckpointQueue, id: string) => checkpoints.states.find((one) => one.id === id);
    const hung = { failure: { cause: 'checkpoint_hung' } };
    /** The first one, for longer than it may stand still. */
    const moves = async (stage: 'hash' | 'compress'): Promise<void> => {
      for (let bytesDone = 1; bytesDone <= 13; bytesDone++) {
        await new Promise((resolve) => setTimeout(resolve, HUNG_AFTER_MS / 10));
        running[0]!.clock.onProgress({ stage, bytesDone, bytesTotal: null });
      }
    };

    beforeEach(() => said.splice(0));

    it('fail for all who wait for it, though its last line is repeated, and it is shown as hung', async () => {
      const checkpoints = hanging();
      const ends = [checkpoints.request(wish('a')), checkpoints.request(wish('a'))];
      await turn();
      running[0]!.clock.enter('hash');
      for (const end of await Promise.all(ends)) {
        expect(end).toMatchObject(hung);
        expect(end.failure?.message).toContain('hangs in its stage "hash"');
        expect(end.failure?.remedy).toContain('file system of the store');
      }
      expect(stateOf(checkpoints, 'a')).toMatchObject({ state: 'hung', progress: { stage: 'hash' }, ...hung });
      expect(running[0]!.givenUp.aborted).toBe(true);
      expect(said.join()).toContain('hangs in its stage "hash"');
      await expect(checkpoints.request(wish('a'))).resolves.toMatchObject(hung);
      expect(running).toHaveLength(1);
    });

    it('go on for as long as their stage or their bytes change, however slowly', async () => {
      const checkpoints = hanging();
      const end = checkpoints.request(wish('a'));
      await turn();
      await moves('compress');
      expect(stateOf(checkpoints, 'a')).toMatchObject({ state: 'in_progress' });
      running[0]!.resolve();
      await expect(end).resolves.toEqual({ result: resultOf('a') });
    });

    it('fail behind it, and are refused until it ends; those that failed are not taken after all', async () => {
      const checkpoints = hanging();
      const first = checkpoints.request(wish('a'));
      const behind = checkpoints.request(wish('b'));
      await expect(first).resolves.toMatchObject(hung);
      await expect(behind).resolves.toMatchObject({
        failure: { cause: 'checkpoint_hung', message: expect.stringContaining('the checkpoint a before it hangs') },
      });
      expect(() => checkpoints.request(wish('c'))).toThrow(
        expect.objectContaining({ facts: expect.objectContaining({ cause: 'checkpoint_hung' }) }),
      );
      running[0]!.resolve();
      await eventually(() => expect(stateOf(checkpoints, 'a')).toMatchObject({ state: 'ready' }));
      await expect(checkpoints.request(wish('b'))).resolves.toMatchObject(hung);
      const next = checkpoints.request(wish('d'));
      await eventually(() => expect(running.map(({ id }) => id)).toEqual(['a', 'd']));
      running[1]!.resolve();
      await expect(next).resolves.toEqual({ result: resultOf('d') });
    });

    it('wait without an end of their own while those before them move', async () => {
      const checkpoints = hanging();
      void checkpoints.request(wish('a'));
      const behind = checkpoints.request(wish('b'));
      await turn();
      await moves('hash');
      running[0]!.resolve();
      await eventually(() => expect(running).toHaveLength(2));
      running[1]!.resolve();
      await expect(behind).resolves.toEqual({ result: resultOf('b') });
    });

    it('keep the result of one that ends late, and are joined again once it moves', async () => {
      const checkpoints = hanging();
      await checkpoints.request(wish('a'));
      running[0]!.clock.enter('upload');
      expect(stateOf(checkpoints, 'a')).toMatchObject({ state: 'in_progress' });
      const joined = checkpoints.request(wish('a'));
      running[0]!.resolve();
      await expect(joined).resolves.toEqual({ result: resultOf('a') });
      expect(stateOf(checkpoints, 'a')).toEqual({ id: 'a', state: 'ready', result: resultOf('a') });
      expect(said.join()).toContain('moves again');
    });

    it('keep the failure of one that fails late', async () => {
      const checkpoints = hanging();
      await checkpoints.request(wish('a'));
      running[0]!.reject(new AgentFailure({ cause: 'store_failed', message: 'EIO' }));
      await checkpoints.idle();
      await eventually(() => expect(stateOf(checkpoints, 'a')).toMatchObject({ failure: { cause: 'store_failed' } }));
    });

    it('fail behind one that is answered and keeps the queue from going on', async () => {
      const checkpoints = new CheckpointQueue(
        [],
        ({ id }) => Promise.resolve({ result: resultOf(id), afterwards: () => new Promise<never>(() => {}) }),
        () => {},
        { hungAfterMs: HUNG_AFTER_MS },
      );
      const [first, behind] = [checkpoints.request(wish('a')), checkpoints.request(wish('b'))];
      await expect(first).resolves.toEqual({ result: resultOf('a') });
      await expect(behind).resolves.toMatchObject(hung);
      expect(stateOf(checkpoints, 'a')).toMatchObject({ state: 'ready' });
    });

    it('are not waited for at the end of the workload', async () => {
      const checkpoints = hanging();
      void checkpoints.request(wish('a'));
      expect(await checkpoints.idle()).toBe(false);
      expect(await checkpoints.idle()).toBe(false);
      running[0]!.resolve();
      await eventually(async () => expect(await checkpoints.idle()).toBe(true));
    });

    it('have failed for the next supervisor', async () => {
      const failure = { cause: 'checkpoint_hung', message: 'It hangs.' } as const;
      const checkpoints = queue([{ id: 'a', state: 'hung', progress: null, failure }]);
      expect(await checkpoints.request(wish('a'))).toMatchObject({ failure: { cause: 'workload_ended' } });
    });
  });
});
