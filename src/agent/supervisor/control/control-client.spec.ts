import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlClient } from './control-client';
import type { CheckpointLine, CheckpointResult, CheckpointState, WorkloadStatus } from './control-protocol';
import { ControlServer } from './control-server';

const ID = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const SILENCE_MS = 2_000;
/** Where lines must come in time: a busy machine that delays one for less makes no silence of it. */
const LONG_MS = 2_000;
const result: CheckpointResult = { reference: '/store/1', bytes: 1, stages: [], criu: {} };
const progress = { stage: 'dump', bytesDone: 0, bytesTotal: null } as const;

describe('The client of a supervisor', () => {
  let folder: string;
  let server: ControlServer;
  let checkpoints: CheckpointState[];
  /** How the supervisor answers each time that it is asked for a checkpoint. */
  let answers: ((onLine: (line: CheckpointLine) => void) => Promise<CheckpointLine>)[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccp-control-'));
    [checkpoints, answers] = [[], []];
    server = await ControlServer.listen(folder, {
      status: () => ({ checkpoints }) as unknown as WorkloadStatus,
      checkpoint: (_request, onLine) => answers.shift()!(onLine),
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const ask = () => new ControlClient(folder, SILENCE_MS).checkpoint({ id: ID, leaveRunning: true });
  const silent = (onLine: (line: CheckpointLine) => void) => {
    onLine({ progress });
    return new Promise<never>(() => {});
  };

  it('joins a checkpoint again that went on in silence', async () => {
    checkpoints = [{ id: ID, state: 'in_progress', progress }];
    answers = [silent, () => Promise.resolve({ result })];
    expect(await ask()).toEqual(result);
    expect(answers).toEqual([]);
  });

  it('gets the end of a checkpoint that ended in silence', async () => {
    checkpoints = [{ id: ID, state: 'ready', result }];
    answers = [silent, () => Promise.resolve({ failure: { cause: 'io_uring', message: 'No.' } })];
    await expect(ask()).rejects.toMatchObject({ facts: { cause: 'io_uring' } });
  });

  it('asks once for a checkpoint that the supervisor does not have', async () => {
    answers = [silent];
    await expect(ask()).rejects.toMatchObject({ facts: { cause: 'workload_ended' } });
  });

  it('waits as long as lines arrive', async () => {
    answers = [
      async (onLine) => {
        const until = performance.now() + 1.25 * LONG_MS;
        while (performance.now() < until) {
          onLine({ progress });
          await new Promise((resolve) => setTimeout(resolve, LONG_MS / 20));
        }
        return { result };
      },
    ];
    expect(await new ControlClient(folder, LONG_MS).checkpoint({ id: ID, leaveRunning: true })).toEqual(result);
    expect(answers).toEqual([]);
  });

  it('gives up a checkpoint whose line is only repeated, and says where it stands', async () => {
    checkpoints = [{ id: ID, state: 'in_progress', progress }];
    const repeating = async (onLine: (line: CheckpointLine) => void): Promise<CheckpointLine> => {
      for (;;) {
        onLine({ progress });
        await new Promise((resolve) => setTimeout(resolve, SILENCE_MS / 3));
        if (!isOpen) return { result };
      }
    };
    let isOpen = true;
    answers = [repeating];
    const asked = new ControlClient(folder, 60_000, LONG_MS).checkpoint({ id: ID, leaveRunning: true });
    await expect(asked).rejects.toMatchObject({
      facts: {
        cause: 'checkpoint_hung',
        message: expect.stringContaining('"dump"'),
        remedy: expect.stringContaining('if it was to end the workload, it may still do so'),
      },
    });
    isOpen = false;
  });

  it('waits for one whose turn has not come as long as the supervisor speaks, and then for its own movement', async () => {
    const waiting = { stage: 'wait', bytesDone: 0, bytesTotal: null } as const;
    let turnsAt = Infinity;
    answers = [
      async (onLine) => {
        for (const began = performance.now(); performance.now() - began < 3 * LONG_MS;) {
          onLine({ progress: performance.now() < turnsAt ? waiting : progress });
          await new Promise((resolve) => setTimeout(resolve, LONG_MS / 20));
        }
        return { result };
      },
    ];
    const began = performance.now();
    turnsAt = began + 1.25 * LONG_MS;
    const asked = new ControlClient(folder, 60_000, LONG_MS).checkpoint({ id: ID, leaveRunning: false });
    await expect(asked).rejects.toMatchObject({
      facts: { cause: 'checkpoint_hung', message: expect.stringContaining('"dump"') },
    });
    // Its own patience began with its turn.
    expect(performance.now() - turnsAt).toBeGreaterThanOrEqual(0.95 * LONG_MS);
  });

  it('gives up one whose turn has not come if the supervisor says nothing more', async () => {
    const waiting = { stage: 'wait', bytesDone: 0, bytesTotal: null } as const;
    answers = [
      (onLine) => {
        onLine({ progress: waiting });
        return new Promise<never>(() => {});
      },
    ];
    const asked = new ControlClient(folder, 60_000, LONG_MS).checkpoint({ id: ID, leaveRunning: true });
    await expect(asked).rejects.toMatchObject({
      facts: { cause: 'checkpoint_hung', message: expect.stringContaining('"wait"') },
    });
  });

  it('gives up one that is lost and joined again without an end, and never moves', async () => {
    checkpoints = [{ id: ID, state: 'in_progress', progress }];
    answers = Array.from({ length: 50 }, () => silent);
    const asked = new ControlClient(folder, LONG_MS / 20, 1.5 * LONG_MS).checkpoint({ id: ID, leaveRunning: true });
    await expect(asked).rejects.toMatchObject({ facts: { cause: 'checkpoint_hung' } });
    expect(answers.length).toBeLessThan(49);
  });
});
