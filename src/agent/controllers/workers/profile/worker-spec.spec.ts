import { isWorkerRecord, workerName, type WorkerRecord } from './worker-record';
import { workerSpecOf, type Profile } from './worker-spec';

const profile = (worker: unknown, members: object = {}, spec: object = {}) =>
  ({ profile_id: 'p', hosting_mode: 'dedicated', spec: { ...spec, worker }, ...members }) as unknown as Profile;
const command = ['serve', '--fast'];

describe('How the workers of a profile are run', () => {
  it('has defaults for all but the command', () => {
    expect(workerSpecOf(profile({ command }))).toEqual({
      ...{ command, image: undefined, port: 0, readyPath: '/health', variables: {}, network: 'host', store: undefined },
      ...{ startTimeoutMs: 600_000, stopGraceMs: 30_000, checkpoints: false, engineFlags: undefined },
      resources: { cpus: undefined, memoryMib: undefined, gpus: undefined },
    });
  });

  it('reads what the profile names', () => {
    const env = { A: 'b' };
    const times = { start_timeout_seconds: 5, stop_grace_seconds: 0 };
    const resources = { cpus: 2, memory_mib: 4_096, gpus: 'all' };
    const members = {
      command,
      image: 'engine:1',
      port: 80,
      ready_path: '/up',
      env,
      network: 'isolated',
      store: 'service',
      ...times,
    };
    const worker = { ...members, resources };
    expect(workerSpecOf(profile(worker, {}, { engine_flags: ['--x'] }))).toEqual({
      ...{
        command,
        image: 'engine:1',
        port: 80,
        readyPath: '/up',
        variables: env,
        network: 'isolated',
        store: 'service',
      },
      ...{ startTimeoutMs: 5_000, stopGraceMs: 0, checkpoints: false, engineFlags: ['--x'] },
      // Older profiles may have anything there.
      resources: { cpus: 2, memoryMib: 4_096, gpus: undefined },
    });
  });

  it('has a network of its own where it is checkpointed, unless the profile says otherwise', () => {
    const mode = { hosting_mode: 'checkpointed' };
    expect(workerSpecOf(profile({ command }, mode))).toMatchObject({ network: 'isolated', checkpoints: true });
    expect(workerSpecOf(profile({ command }, {}, { checkpoint: true }))).toMatchObject({ network: 'isolated' });
    expect(workerSpecOf(profile({ command, network: 'host' }, mode))).toMatchObject({ network: 'host' });
    expect(workerSpecOf(profile({ command }, mode, { checkpoint_owner: 'somebody' }))).toMatchObject({
      checkpoints: false,
    });
  });

  it('is nothing for this agent without a command', () => {
    expect(workerSpecOf(profile({ image: 'engine:1' }))).toBeUndefined();
    expect(workerSpecOf(profile(undefined))).toBeUndefined();
    expect(workerSpecOf(profile({ command: [] }))).toBeUndefined();
  });
});

describe('The name of a worker', () => {
  it('is a DNS label for any id of a profile, and distinguishes profiles and workers', () => {
    const ids = ['llama-8b', 'Llama 8B!', 'ä/ü', 'x'.repeat(253), '-', `${'y'.repeat(39)}---z`];
    const names = ids.flatMap((id) => [workerName(id, 0), workerName(id, 999)]);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    expect(new Set(names).size).toBe(names.length);
    expect(workerName('llama-8b', 2)).toMatch(/^llama-8b-[0-9a-f]{10}-2$/);
  });
});

describe('A record that somebody else has kept', () => {
  const record: WorkerRecord = {
    ...{ uid: '11111111-2222-4333-8444-555555555555', profileId: 'llama', index: 1, name: workerName('llama', 1) },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', generation: 3, network: 'isolated', port: 0 },
    from: { artifactId: 'a', reference: '/store/a' },
  };

  it('is one if it has all members, and the name of its profile', () => {
    const records = [record, { ...record, from: undefined }, { ...record, cuts: 1, instead: 'a' }];
    expect(records.map(isWorkerRecord)).toEqual([true, true, true]);
  });

  const faults: readonly [string, unknown][] = [
    ['is nothing', undefined],
    ['is a text', 'record'],
    ['lacks its uid', { ...record, uid: undefined }],
    ['has an invalid uid', { ...record, uid: '../../x' }],
    ['has the name of another worker', { ...record, name: workerName('llama', 2) }],
    ['has another network', { ...record, network: 'none' }],
    ['is restored from nothing', { ...record, from: {} }],
    ['has a port that is no number', { ...record, port: '80' }],
    ['is started in place of what is no text', { ...record, instead: 1 }],
    ['has a count that is no number', { ...record, cuts: '1' }],
  ];
  it.each(faults)('is none if it %s', (_what, value) => {
    expect(isWorkerRecord(value)).toBe(false);
  });
});
