import { idFor } from '../../../service/requests';
import { SupervisorSilent } from '../../../supervisor/control/control-client';
import type { RestoreAsked } from './host-requests';
import { giveUpRestore, restore } from './restore-work';
import type { WorkContext } from './work-context';

const asked: RestoreAsked = {
  kind: 'restore',
  actionId: 'b01228a1-b05b-4ea2-860c-b02d913150b5',
  checkpointId: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
  target: { namespace: 'default', name: 'count', startedAt: '2026-06-01T10:00:00.000Z' },
};

describe('A restore on this machine', () => {
  let started: number;
  let operations: string[];
  /** What the journal got. */
  let noted: RestoreAsked['target'][];
  /** What the workloads of the machine answer, one after the other. */
  let found: (object | undefined)[];

  beforeEach(() => {
    [started, operations, found, noted] = [0, [], [], []];
    let ahead = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + (ahead += 500));
  });
  afterEach(() => jest.restoreAllMocks());

  const contextOf = (status: string): WorkContext => {
    const service = {
      send: (operation: string) => {
        operations.push(operation);
        return Promise.resolve(operation === 'get_action' ? { status, restore_path: '/store/1' } : '');
      },
    };
    const look = () => {
      const next = found.length > 1 ? found.shift() : found[0];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    };
    const workloads = {
      serves: () => true,
      at: look,
      find: look,
      isFree: () => Promise.resolve(found.length === 0),
      startRestore: () => {
        started++;
        found = [running];
        return Promise.resolve({ exitCode: () => undefined, errorText: () => Promise.resolve('') });
      },
    };
    const journal = { note: ({ target }: RestoreAsked) => Promise.resolve(noted.push(target)) };
    return {
      ...{ service, workloads, journal, log: { info: () => {} } },
      ...{ signal: new AbortController().signal, say: () => {}, clusterId: () => 'c', node: 'n1' },
    } as unknown as WorkContext;
  };
  const perform = (status: string, request = asked) => restore(contextOf(status), request);
  const silent = new SupervisorSilent('It is silent.');
  const running = {
    ...{ namespace: 'default', name: 'count', uid: idFor(asked, 'pod') },
    ...{ phase: 'running', restored: { stages: [] }, startedAt: '2026-06-01' },
  };
  const REPORTED = ['get_action', 'record_restore_start', 'record_restore_success'];

  it('is not begun any more when the service has given it up', async () => {
    await perform('error');
    expect(started).toBe(0);
    expect(operations).toEqual(['get_action']);
  });

  it('is reported when an earlier attempt has begun it, also if the service has given it up', async () => {
    found = [undefined, running];
    await perform('error');
    expect(started).toBe(0);
    expect(operations).toEqual(REPORTED);
  });

  it('waits for its supervisor while that is silent', async () => {
    found = [{ ...running, phase: 'restoring', restored: null }, silent, running];
    await perform('in_progress');
    expect(started).toBe(0);
    expect(operations).toEqual(REPORTED);
  });

  it('is neither begun anew nor given up beside a supervisor that is silent', async () => {
    found = [silent];
    await expect(perform('in_progress')).rejects.toThrow(silent);
    const failure = { cause: 'unclassified', message: 'No.' } as const;
    await expect(giveUpRestore(contextOf('in_progress'), asked, failure)).rejects.toThrow(silent);
    expect(started).toBe(0);
    // A sign of life: the deadline of the service starts anew.
    expect(operations).toEqual(['get_action', 'record_restore_start', 'get_action']);
  });

  it('is forgotten when the service has given it up and its supervisor is silent', async () => {
    found = [silent];
    await perform('error');
    expect(started).toBe(0);
    expect(operations).toEqual(['get_action']);
  });

  it('is not begun anew when its record is lost and the service has forgotten its end', async () => {
    const { target: _lost, ...unrecorded } = asked;
    await perform('in_progress', unrecorded);
    expect([started, operations]).toEqual([1, REPORTED]);
    noted = [];
    await perform('in_progress', unrecorded);
    expect([started, operations]).toEqual([1, [...REPORTED, ...REPORTED]]);
    const { namespace, name, startedAt } = running;
    expect(noted[0]).toEqual({ namespace, name, startedAt });
  });

  it('is not begun under another name while its record is lost and its supervisor is silent', async () => {
    const { target: _lost, ...unrecorded } = asked;
    found = [silent];
    await expect(perform('in_progress', unrecorded)).rejects.toThrow(silent);
    expect([started, operations]).toEqual([0, ['get_action', 'record_restore_start']]);
  });

  it.each([
    ['whether its name is free is not known', 'workloads', 'isFree'],
    ['its record cannot be kept', 'journal', 'note'],
  ] as const)('leaves its name to the next attempt when %s', async (_why, member, method) => {
    const { target: _none, ...unrecorded } = asked;
    const context = contextOf('in_progress');
    const broken = { ...context, [member]: { ...context[member], [method]: () => Promise.reject(new Error('EIO')) } };
    await expect(restore(broken as WorkContext, unrecorded)).rejects.toThrow('EIO');
    expect(started).toBe(0);
    await perform('in_progress', unrecorded);
    expect(noted[0]).toMatchObject({ name: `restored-${idFor(asked, 'pod').slice(0, 8)}` });
  });

  it('is begun once more when an earlier attempt has left nothing', async () => {
    await perform('in_progress');
    expect(started).toBe(1);
    expect(operations).toEqual(REPORTED);
  });
});
