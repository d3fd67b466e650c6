import { MOVING, movingMark, RESTORE, restoreMark } from './marks';

const ids = {
  actionId: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
  checkpointId: 'b01228a1-b05b-4ea2-860c-b02d913150b5',
};
const whole = { ...ids, kind: 'move', startedAt: '2026-11-23T12:00:00.000Z', reason: 'maintenance', origin: 'web.a-1' };
const podWith = (name: string, mark: unknown) => ({
  metadata: { annotations: { [name]: typeof mark === 'string' ? mark : JSON.stringify(mark) } },
});

describe('The marks of a pod', () => {
  it('are read as they are written, with or without a reason', () => {
    expect(restoreMark(podWith(RESTORE, whole))).toEqual(whole);
    const { reason: _reason, ...others } = whole;
    expect(restoreMark(podWith(RESTORE, others))).toEqual(others);
    expect(movingMark(podWith(MOVING, ids))).toEqual(ids);
  });

  it.each([
    ...['no JSON', 'null', '5', '[]'],
    ...[{ kind: 'x' }, { kind: undefined }, { actionId: 1 }, { actionId: 'x' }, { checkpointId: undefined }],
    ...[{ startedAt: 'now' }, { startedAt: 5 }, { startedAt: undefined }, { reason: {} }],
    ...[{ origin: 5 }, { origin: '' }, { origin: 'a/b' }, { origin: '-a' }, { origin: undefined }],
  ])('count as none with %j', (members) => {
    const mark = typeof members === 'string' ? members : { ...whole, ...members };
    expect(restoreMark(podWith(RESTORE, mark))).toBeUndefined();
  });

  it.each(['null', { actionId: 1 }, { actionId: 'x' }, { checkpointId: 5 }])('move no pod with %j', (members) => {
    const mark = typeof members === 'string' ? members : { ...ids, ...members };
    expect(movingMark(podWith(MOVING, mark))).toBeUndefined();
  });
});
