import { commentOf, markIn, type WorkerMark } from './worker-mark';

const MARK: WorkerMark = {
  uid: '0190a0a0-0000-7000-8000-000000000001',
  owner: '0190a0a0-0000-7000-8000-000000000002',
  said: {
    ...{ phase: 'ended', cluster: 'hpc', host: '10.0.0.7', port: null },
    failure: { cause: 'unclassified', message: "It said: 'no' | \n = über 100%." },
  },
};

describe('The comment of a job that is a worker', () => {
  it('says the same when it is read, in one word', () => {
    expect(commentOf(MARK)).not.toMatch(/[\s|]/);
    expect(markIn(commentOf(MARK))).toEqual(MARK);
    expect(markIn(` ${commentOf({ uid: 'u', owner: 'o' })} `)).toEqual({ uid: 'u', owner: 'o' });
  });

  it.each([
    ['is empty', ''],
    ['is of a user', 'my worker'],
    ['mentions one', `see ${commentOf(MARK)}`],
    ['is broken', commentOf(MARK).slice(0, -4)],
    ['is not encoded', 'ccp-agent-worker=%'],
    ['lacks the uid', `ccp-agent-worker=${encodeURIComponent('{"owner":"o"}')}`],
    ['has no object', 'ccp-agent-worker=7'],
  ])('is none if it %s', (_what, comment) => expect(markIn(comment)).toBeUndefined());

  it('has nothing to say if nobody knows the word', () => {
    const said = { ...MARK.said, phase: 'dancing' } as never;
    expect(markIn(commentOf({ ...MARK, said }))).toEqual({ uid: MARK.uid, owner: MARK.owner });
  });
});
