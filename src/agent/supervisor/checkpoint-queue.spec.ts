import { AgentFailure } from '../failures';
import { eventually } from '../../../test/support/eventually';
import type { MachineFacts } from '../machine/machine-facts';
import type { StageClock } from '../stage-clock';
import { CheckpointQueue, MAX_KEPT, MAX_WAITING } from './checkpoint-queue';
import type { CheckpointLine, CheckpointRequest, CheckpointResult, CheckpointState } from './control/control-protocol';

const resultOf = (id: string): CheckpointResult => ({ reference: `ref-${id}`, bytes: 1, stages: [], criu: {} });
const wish = (id: string): CheckpointRequest => ({ id, leaveRunning: true });

describe('The checkpoints of a workload', () => {
  let running: { id: string; clock: StageClock; resolve: () => void; reject: (error: Error) => void }[];
  /** Whether each record that was written has to be durable. */
  let records: boolean[];
  const queue = (known: CheckpointState[] = [], repeatMs?: number): CheckpointQueue => {
    const own = records;
    return new CheckpointQueue(
      known,
      ({ id }, clock) =>
        new Promise((resolve, reject) =>
          running.push({ id, clock, resolve: () => resolve({ result: resultOf(id) }), reject }),
        ),
      (durable) => own.push(durable),
      repeatMs,
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
    const checkpoints = queue([], 20);
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
});
