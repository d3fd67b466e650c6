import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { FailureFacts } from '../../../failures';
import { isProblem, ServiceProblem, ServiceUnreachable } from '../../../service/problems';
import { RequestJournal, type Asked } from './request-journal';
import { RequestRunner } from './request-runner';
import { eventually } from '../../../../../test/support/eventually';

const REQUEST: Asked = {
  kind: 'checkpoint',
  actionId: '01980000-0000-7000-8000-000000000001',
};

describe('A runner of requests', () => {
  let directory: string;
  let journal: RequestJournal<Asked>;
  let stop: AbortController;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'runner-'));
    journal = new RequestJournal(directory);
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    rmSync(directory, { recursive: true });
  });

  /** @param errors of the attempts, in order; those after them succeed */
  const run = async (
    errors: readonly Error[],
    giveUp: (failure: FailureFacts, attempts: number) => boolean | 'anew' | Promise<boolean>,
    pauses: { firstPauseMs: number; longestPauseMs?: number } = { firstPauseMs: 1 },
  ) => {
    let attempts = 0;
    const runner = new RequestRunner(
      journal,
      async () => {
        await taken;
        const error = errors[attempts++];
        if (error) throw error;
      },
      {
        signal: stop.signal,
        log: pino({ level: 'silent' }),
        ...pauses,
        isGone: (error) => isProblem(error, 'action_not_found'),
        giveUp: async (_, failure) => giveUp(failure, attempts),
      },
    );
    const taken = runner.take([REQUEST]);
    await taken;
    await runner.idle();
    return attempts;
  };
  const never = (): never => {
    throw new Error('It was given up.');
  };
  const fault = (text: string) => new ServiceProblem('put_checkpoint_info', 400, 'validation_failed', text);

  it('reports a request as failed after three faults, with the last one as its cause', async () => {
    const given: [FailureFacts, number][] = [];
    const faults = [fault('one'), fault('two'), fault('three')];
    await run(faults, (...all) => given.push(all) > 0);
    expect(given).toEqual([[{ cause: 'unclassified', message: expect.stringContaining('three') }, 3]]);
    expect(await journal.open()).toEqual([]);
  });

  it('has three attempts again if something else is wanted by the third fault', async () => {
    const faults = Array.from({ length: 6 }, (_, index) => fault(`${index}`));
    const given: number[] = [];
    await run(faults, (_, attempt) => given.push(attempt) > 1 || 'anew');
    expect(given).toEqual([3, 6]);
    expect(await journal.open()).toEqual([]);
  });

  it('starts a request at once, and takes it when it is durable, so that nothing of it is left', async () => {
    const [begun, durable] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const add = journal.add.bind(journal);
    jest.spyOn(journal, 'add').mockImplementation((request) => durable.promise.then(() => add(request)));
    const options = { signal: stop.signal, log: pino({ level: 'silent' }), giveUp: never };
    const runner = new RequestRunner(journal, () => Promise.resolve(begun.resolve()), options);
    let isTaken = false;
    const taken = runner.take([REQUEST]).then(() => (isTaken = true));
    await begun.promise;
    expect(isTaken).toBe(false);
    durable.resolve();
    await taken;
    await runner.idle();
    expect(await journal.open()).toEqual([]);
  });

  it('takes no request that cannot be made durable, and does it once when its event comes again', async () => {
    let [attempts, release] = [0, () => {}];
    const released = new Promise<void>((resolve) => (release = resolve));
    const options = { signal: stop.signal, log: pino({ level: 'silent' }), giveUp: never };
    const runner = new RequestRunner(journal, () => (attempts++, released), options);
    jest.spyOn(journal, 'add').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(runner.take([REQUEST])).rejects.toThrow('the disk is full');
    await journal.note({ ...REQUEST, eventId: 7 });
    await runner.take([REQUEST]);
    // What the work has added stays.
    expect(await journal.open()).toEqual([{ ...REQUEST, eventId: 7 }]);
    release();
    await runner.idle();
    expect(attempts).toBe(1);
    expect(await journal.open()).toEqual([]);
  });

  it('counts no outage as a fault', async () => {
    const outages = Array.from({ length: 6 }, () => new ServiceUnreachable('get_action', 'ECONNREFUSED'));
    expect(await run([...outages, fault('one'), fault('two')], never)).toBe(9);
    expect(await journal.open()).toEqual([]);
  });

  it('pauses no longer than it may between attempts', async () => {
    const outages = Array.from({ length: 20 }, () => new ServiceUnreachable('get_action', 'ECONNREFUSED'));
    expect(await run(outages, never, { firstPauseMs: 1, longestPauseMs: 2 })).toBe(21);
  });

  it('keeps and repeats a request that has not failed, or whose failure could not be reported', async () => {
    const faults = Array.from({ length: 5 }, (_, index) => fault(`${index}`));
    const kept: unknown[] = [];
    const attempts = await run(faults, async (_, attempt) => {
      kept.push(await journal.open());
      if (attempt === 4) throw new Error('It cannot be reported.');
      return false;
    });
    expect(attempts).toBe(6);
    expect(kept).toEqual([[REQUEST], [REQUEST], [REQUEST]]);
    expect(await journal.open()).toEqual([]);
  });

  it('bounds the requests of each kind, and gives the place of one that pauses to the next one', async () => {
    const asked = (kind: string, number: number): Asked => ({ kind, actionId: `${kind}-${number}` });
    const [one, other] = [1, 2].map((number) => asked('checkpoint', number)) as [Asked, Asked];
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const options = { signal: stop.signal, log: pino({ level: 'silent' }), firstPauseMs: 60_000, giveUp: never };
    const runner = new RequestRunner(
      journal,
      ({ actionId }) => {
        begun.push(actionId);
        ends.set(actionId, Promise.withResolvers<void>());
        return ends.get(actionId)!.promise;
      },
      { ...options, atOnce: { checkpoint: 1 } },
    );
    await runner.take([one, other, asked('restore', 1), asked('restore', 2)]);
    await eventually(() => expect(begun).toHaveLength(3));
    expect(begun.sort()).toEqual(['checkpoint-1', 'restore-1', 'restore-2']);
    ends.get('checkpoint-1')!.reject(fault('for now'));
    await eventually(() => expect(begun).toContain('checkpoint-2'));
  });

  it('leaves a request in the journal when it stops', async () => {
    const runner = new RequestRunner(
      journal,
      () => {
        stop.abort();
        return Promise.reject(fault('in the middle'));
      },
      { signal: stop.signal, log: pino({ level: 'silent' }), giveUp: never },
    );
    await runner.take([REQUEST]);
    await runner.idle();
    expect(await journal.open()).toEqual([REQUEST]);
  });

  it('drops what the service no longer knows', async () => {
    expect(await run([new ServiceProblem('get_action', 404, 'action_not_found', '')], never)).toBe(1);
    expect(await journal.open()).toEqual([]);
  });
});
