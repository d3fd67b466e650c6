import { newId } from '../../1-platform/common/ids';
import { attemptOf, mergeMembers } from './restore-attempt';
import type { RestoreEventKind } from './restore.states';
import type { Members, StoredEvent } from './restores.queries';

const T0 = Date.parse('2026-06-01T10:00:00Z');
const iso = (seconds: number) => new Date(T0 + seconds * 1_000).toISOString();

const start = (body: Members = {}): StoredEvent => event('restore_start', 0, body);
const success = (body: Members = {}): StoredEvent => event('restore_success', 8, body);
const error = (body: Members = {}): StoredEvent => event('restore_error', 9, body);
const event = (kind: RestoreEventKind, second: number, body: Members): StoredEvent => ({
  kind,
  body,
  received_at: new Date(T0 + second * 1_000),
});

const attempt = (events: StoredEvent[], profile: unknown = null) =>
  attemptOf('u', events, mergeMembers(events), profile);

describe('the duration of a restore', () => {
  it('is the measured one', () => {
    const profile = { components: [{ name: 'x', duration: 5_000_000_000 }] };
    expect(attempt([start(), success({ runtime_metadata: profile })]).durationNs).toBe(5_000_000_000);
    expect(attempt([start(), success()], profile)).toMatchObject({ durationNs: 5_000_000_000, source: 'profile' });
  });

  it('is otherwise the time between the reported start and end', () => {
    const events = [start({ started_at: iso(1) }), success({ completed_at: iso(4) })];
    expect(attempt(events)).toMatchObject({
      durationNs: 3_000_000_000,
      startedAt: new Date(iso(1)),
      completedAt: new Date(iso(4)),
    });
  });

  it('is otherwise the time between the events', () => {
    expect(attempt([start(), success()]).durationNs).toBe(8_000_000_000);
    expect(attempt([start()])).toMatchObject({ durationNs: 0, completedAt: null });
  });

  it('is unknown if the end came first, or the clocks disagree', () => {
    expect(attempt([success(), { ...start(), received_at: new Date(T0 + 20_000) }])).toMatchObject({
      durationNs: 0,
      startedAt: new Date(T0 + 8_000),
    });
    expect(attempt([start({ started_at: iso(100) }), success({ completed_at: iso(50) })])).toMatchObject({
      durationNs: 0,
      startedAt: new Date(iso(50)),
    });
  });

  it('ignores times before the epoch', () => {
    const zero = '0001-01-01T00:00:00Z';
    expect(attempt([start({ started_at: zero }), success({ completed_at: zero })])).toMatchObject({
      durationNs: 8_000_000_000,
      startedAt: new Date(T0),
    });
    expect(attempt([start({ started_at: 'yesterday' }), success({ completed_at: 5 })]).durationNs).toBe(8_000_000_000);
  });

  it('is bounded by what a number holds', () => {
    expect(attempt([start(), success({ completed_at: '9999-12-31T23:59:59Z' })]).durationNs).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });
});

describe('the result of a restore', () => {
  it.each<[string, StoredEvent[], string]>([
    ['running', [start()], 'running'],
    ['succeeded', [success()], 'succeeded'],
    ['failed', [error()], 'failed'],
    ['succeeded, contradicted', [success(), error()], 'succeeded'],
    ['failed, contradicted', [error(), success()], 'failed'],
    ['fallback by status', [success({ status: 'Fallback' })], 'fallback'],
    ['fallback by runtime_metadata', [success({ runtime_metadata: { fallback: true } })], 'fallback'],
    ['fallback by metadata', [error({ metadata: { fallback: true } })], 'fallback'],
    ['no fallback without an end', [start({ status: 'fallback' })], 'running'],
    ['no fallback by another value', [success({ metadata: { fallback: 'yes' } })], 'succeeded'],
  ])('reads the result of a restore: %s', (_case, events, result) => {
    expect(attempt(events).result).toBe(result);
  });

  it('has a reason and a stage only if it failed', () => {
    const profile = { components: [{ name: 'a' }, { name: 'map', error: 'x' }] };
    const body = { error_message: 'broke', runtime_metadata: profile };
    expect(attempt([error(body)])).toMatchObject({ failureReason: 'broke', failureStage: 'map' });
    expect(attempt([error({ ...body, metadata: { failure_stage: 'said' } })]).failureStage).toBe('said');
    expect(attempt([error({ reason: 'nodeTermination' })]).failureReason).toBe('nodeTermination');
    expect(attempt([success(body)])).toMatchObject({ failureReason: '', failureStage: '' });
    expect(attempt([success(), error(body)])).toMatchObject({ failureReason: '', failureStage: '' });
  });
});

describe('the workload of a restore', () => {
  it('is read from runtime_metadata, metadata and request_metadata, in this order', () => {
    const body = {
      request_metadata: { pod_name: 'asked', namespace: 'asked' },
      metadata: { pod_name: 'described', node: 'n' },
      runtime_metadata: { pod_name: '', pod_uid: 'u1' },
    };
    expect(attempt([start(body)])).toMatchObject({
      name: 'described',
      namespace: 'asked',
      nodeName: 'n',
      podUid: 'u1',
    });
  });

  it('has UUIDs as ids only, in any case', () => {
    const id = newId();
    expect(attempt([start({ action_id: id.toUpperCase(), checkpoint_id: 'x' })])).toMatchObject({
      actionId: id,
      checkpointId: null,
    });
  });

  it.each([
    ['slurm', 'slurm'],
    ['SlurmJob', 'slurm'],
    ['pod', 'kubernetes'],
    [undefined, 'kubernetes'],
    [7, 'kubernetes'],
  ])('has for the workload type %p the type %s', (body, type) => {
    expect(attempt([start({ workload_type: body })]).workloadType).toBe(type);
  });

  it('keeps names of checkpoints as long as pods may request', () => {
    const name = 'n'.repeat(512);
    expect(attempt([start({ metadata: { checkpoint_name: name } })]).checkpointName).toBe(name);
    expect(attempt([start({ metadata: { checkpoint_name: `${name}x` } })]).checkpointName).toBe(name);
  });

  it('tolerates any metadata', () => {
    for (const metadata of [1, 'x', [], [[]], true, { pod_uid: 5, node_name: {} }])
      expect(attempt([start({ metadata, runtime_metadata: metadata, request_metadata: metadata })])).toMatchObject({
        podUid: '',
        nodeName: '',
      });
  });
});
