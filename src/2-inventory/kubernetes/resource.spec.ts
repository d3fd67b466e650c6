import { parseJson, type JsonObject } from '../../1-platform/common/json/json';
import {
  asCount,
  asInt32,
  checkpointName,
  conditionSince,
  conditionStatus,
  keptObject,
  MAX_CHECKPOINT_NAME,
  objectAt,
  readMeta,
} from './resource';

describe('readMeta', () => {
  const metaOf = (metadata: unknown) => readMeta({ metadata });

  it('treats missing or malformed metadata as empty', () => {
    const nothing = {
      uid: '',
      name: '',
      namespace: '',
      labels: {},
      resourceVersion: null,
      createdAt: null,
      deletionRequested: false,
      released: false,
      owner: undefined,
    };
    expect(readMeta({})).toEqual(nothing);
    expect(metaOf('text')).toEqual(nothing);
    expect(metaOf([{ name: 'a' }])).toEqual(nothing);
    expect(
      metaOf({ uid: 1, name: {}, namespace: null, labels: [], ownerReferences: {}, creationTimestamp: null }),
    ).toEqual(nothing);
  });

  it.each([
    ['388', '388'],
    ['18446744073709551615', '18446744073709551615'],
    ['', null],
    [388, null],
    ['-1', null],
    ['12e3', null],
    ['123456789012345678901', null],
    [undefined, null],
  ])('reads resourceVersion %p as %p', (resourceVersion, expected) =>
    expect(metaOf({ resourceVersion }).resourceVersion).toBe(expected),
  );

  it('ignores an owner’s uid that is too long', () => {
    const owner = (uid: unknown) => metaOf({ ownerReferences: [{ kind: 'Job', name: 'j', uid }] }).owner?.uid;
    expect([owner('u'.repeat(128)), owner('u'.repeat(129)), owner(7)]).toEqual(['u'.repeat(128), '', '']);
  });

  it('uses the controller among the owners, else the first one', () => {
    const owner = (name: string, controller?: boolean) => ({ kind: 'Job', name, uid: `uid-${name}`, controller });
    expect(metaOf({ ownerReferences: [owner('a'), owner('b', true)] }).owner?.name).toBe('b');
    expect(metaOf({ ownerReferences: [owner('a', false), owner('b')] }).owner).toEqual({
      kind: 'Job',
      name: 'a',
      uid: 'uid-a',
    });
  });

  it('keeps labels with unusual names, and ignores those that are not strings', () => {
    const metadata = (parseJson('{"labels":{"__proto__":"p","constructor":"c","n":1,"x":null}}') as JsonObject).labels;
    const { labels } = metaOf({ labels: metadata });
    expect(Object.entries(labels)).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
  });

  it('is released when its deletion is requested and no finalizer holds it', () => {
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    expect(metaOf({ finalizers: [] }).released).toBe(false);
    expect(metaOf({ deletionTimestamp, finalizers: ['karpenter.sh/termination'] })).toMatchObject({
      deletionRequested: true,
      released: false,
    });
    expect(metaOf({ deletionTimestamp, finalizers: [] }).released).toBe(true);
    expect(metaOf({ deletionTimestamp }).released).toBe(true);
  });
});

describe('keptObject', () => {
  it('drops type and managedFields and nothing else', () => {
    const text =
      '{"kind":"Pod","metadata":{"name":"a","__proto__":{"x":1}},"spec":{"managedFields":[1],"type":"inner"},"constructor":12345678901234567890}';
    const object = parseJson(text) as JsonObject;
    const withMore = { type: 'Pod', ...object, metadata: { ...objectAt(object, 'metadata'), managedFields: [{}] } };
    expect(JSON.stringify(keptObject(withMore))).toBe(text);
  });

  it('does not change its argument', () => {
    const object = { type: 'Pod', metadata: { managedFields: [] } };
    keptObject(object);
    expect(object).toEqual({ type: 'Pod', metadata: { managedFields: [] } });
  });
});

describe('conditions', () => {
  const status = {
    conditions: [
      null,
      'Ready',
      { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-02T03:04:05Z' },
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:06Z' },
      { type: 'Initialized', status: 'True', lastTransitionTime: null },
    ],
  };

  it('have the time since which they hold, or null', () => {
    expect(conditionSince(status, 'PodScheduled')).toBe('2026-01-02T03:04:06Z');
    expect(conditionSince(status, 'Ready')).toBeNull();
    expect(conditionSince(status, 'Initialized')).toBeNull();
    expect(conditionSince({}, 'Ready')).toBeNull();
  });

  it('have a status, or none', () => {
    expect(conditionStatus(status, 'Ready')).toBe('False');
    expect(conditionStatus(status, 'ContainersReady')).toBeUndefined();
  });
});

describe('checkpointName', () => {
  const env = (value: unknown, name = 'SVC_CHECKPOINT') => ({
    env: [
      { name: 'OTHER', value: 'x' },
      { name, value },
    ],
  });

  it('is the value of SVC_CHECKPOINT of any container', () => {
    expect(checkpointName({ containers: [{}, env('train')] })).toBe('train');
    expect(checkpointName({ containers: [env('')], initContainers: [env('init')] })).toBe('init');
  });

  it('is missing if no container has a valid value', () => {
    expect(checkpointName({})).toBeNull();
    expect(checkpointName({ containers: [env('train', 'svc_checkpoint')] })).toBeNull();
    expect(checkpointName({ containers: [env(12)] })).toBeNull();
    expect(checkpointName({ containers: [env('n'.repeat(MAX_CHECKPOINT_NAME + 1))] })).toBeNull();
    expect(checkpointName({ containers: [env('n'.repeat(MAX_CHECKPOINT_NAME))] })).toHaveLength(MAX_CHECKPOINT_NAME);
  });
});

describe('numbers', () => {
  it('are clamped to what their columns hold', () => {
    expect(asCount(2 ** 40)).toBe(2 ** 31 - 1);
    expect([asCount(-1), asCount(1.5), asCount('3'), asCount(null)]).toEqual([0, 0, 0, 0]);
    expect([asInt32(2_000_001_000), asInt32(-5), asInt32(2 ** 31), asInt32(1.5), asInt32('1')]).toEqual([
      2_000_001_000,
      -5,
      null,
      null,
      null,
    ]);
  });
});
