import { SampleBacklog } from './sample-backlog';

const MIB = 1024 * 1024;

describe('a request with samples', () => {
  it('can never be held if it alone needs more than the share of one organisation', () => {
    const backlog = new SampleBacklog();
    backlog.begin('one');
    backlog.take('one', 32 * MIB);
    expect(backlog.fitsAlone('one', 64 * MIB)).toBe(true);
    expect(backlog.fitsAlone('one', 64 * MIB + 1)).toBe(false);
  });

  it('may be held later while others of its organisation are in progress', () => {
    const backlog = new SampleBacklog();
    backlog.begin('one');
    backlog.begin('one');
    backlog.take('one', 64 * MIB);
    expect(backlog.take('one', 64 * MIB)).toBe(false);
    expect(backlog.fitsAlone('one', 64 * MIB)).toBe(true);
  });

  it('is not refused for what other organisations hold', () => {
    const backlog = new SampleBacklog();
    backlog.begin('other');
    backlog.take('other', 96 * MIB);
    backlog.begin('one');
    backlog.take('one', 16 * MIB);
    expect(backlog.take('one', 64 * MIB)).toBe(false);
    expect(backlog.fitsAlone('one', 64 * MIB)).toBe(true);
  });
});
