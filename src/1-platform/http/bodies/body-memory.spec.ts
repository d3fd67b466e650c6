import { unavailable, type Problem } from '../../common/answers/problem';
import { BodyMemory, SharedMemory } from './body-memory';

const KIB = 1024;
const memory = (): BodyMemory => new BodyMemory({ bodyMemoryBytes: 100 });
const ofMebibytes = (count: number): BodyMemory => new BodyMemory({ bodyMemoryBytes: count * KIB * KIB });

const refusal = (work: () => unknown): unknown => {
  try {
    work();
  } catch (problem) {
    const { status, code, headers } = problem as Problem;
    return [status, code, headers['retry-after']];
  }
  return undefined;
};
const NO_MEMORY = [503, 'body_memory_exhausted', '1'];

describe('the memory for bodies', () => {
  it('is shared by all requests, up to its size', () => {
    const shared = memory();
    const first = shared.hold(60);
    shared.hold(40);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
    first.release();
    expect(refusal(() => shared.hold(60))).toBeUndefined();
  });

  it('admits one body that is larger than all of it, and no second one', () => {
    const shared = memory();
    const large = shared.hold(1_000);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
    expect(refusal(() => large.growTo(2_000))).toBeUndefined();
    large.release();
    expect(refusal(() => shared.hold(100))).toBeUndefined();
  });

  it('refuses a growing body if another one has the rest, which it keeps', () => {
    const shared = memory();
    const first = shared.hold(30);
    const second = shared.hold(50);
    expect(refusal(() => first.growTo(60))).toEqual(NO_MEMORY);
    first.growTo(20);
    expect(refusal(() => shared.hold(21))).toEqual(NO_MEMORY);
    second.release();
    expect(refusal(() => first.growTo(100))).toBeUndefined();
  });

  it('is partly returned if a body is smaller than expected', () => {
    const shared = memory();
    const hold = shared.hold(90);
    hold.shrinkTo(10);
    hold.shrinkTo(50);
    const other = shared.hold(90);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
    hold.release();
    other.release();
    hold.shrinkTo(0);
    shared.hold(100);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
  });

  it('is returned once, and cannot be taken after that', () => {
    const shared = memory();
    const hold = shared.hold(90);
    hold.release();
    hold.release();
    hold.growTo(90);
    shared.hold(100);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
  });

  it('keeps an eighth for small bodies, which large ones cannot take', () => {
    const shared = ofMebibytes(64);
    shared.hold(40 * KIB * KIB, 'a');
    shared.hold(16 * KIB * KIB, 'b');
    expect(refusal(() => shared.hold(257 * KIB, 'c'))).toEqual(NO_MEMORY);
    for (let n = 0; n < 32; n++) shared.hold(256 * KIB, `reports-${n}`);
    expect(refusal(() => shared.hold(256 * KIB, 'c'))).toEqual(NO_MEMORY);
  });

  it('leaves a quarter to other organisations, however much one requests', () => {
    const shared = ofMebibytes(64);
    const first = shared.hold(32 * KIB * KIB, 'a');
    shared.hold(16 * KIB * KIB, 'a');
    expect(refusal(() => shared.hold(KIB * KIB, 'a'))).toEqual(NO_MEMORY);
    expect(refusal(() => first.growTo(33 * KIB * KIB))).toEqual(NO_MEMORY);
    shared.hold(8 * KIB * KIB, 'b').release();
    first.release();
    expect(refusal(() => shared.hold(32 * KIB * KIB, 'a'))).toBeUndefined();
  });

  it('admits the only body of an organisation while there is room, whatever its share', () => {
    const shared = ofMebibytes(64);
    shared.hold(KIB, 'a');
    expect(refusal(() => shared.hold(50 * KIB * KIB, 'b'))).toBeUndefined();
  });

  it('may bound small bodies of one organisation too, with its own answer', () => {
    const refused = () => unavailable('queue_full', 'Too many.');
    const shared = new SharedMemory({ bytes: 4 * KIB * KIB, smallShareOfOne: 3 / 4, refusal: refused });
    for (let n = 0; n < 12; n++) shared.hold(256 * KIB, 'a');
    expect(refusal(() => shared.hold(1, 'a'))).toEqual([503, 'queue_full', '1']);
    for (let n = 0; n < 4; n++) shared.hold(256 * KIB, 'b');
    expect(refusal(() => shared.hold(1, 'c'))).toEqual([503, 'queue_full', '1']);
  });

  it('is given to bodies of unknown size as they grow, and leaves half to other organisations', () => {
    const shared = ofMebibytes(64);
    const growing = Array.from({ length: 3 }, () => shared.holdGrowing(KIB, 'a'));
    // As long as they have sent little, they take little.
    shared.hold(40 * KIB * KIB, 'b').release();
    for (const hold of growing) hold.growTo(10 * KIB * KIB);
    expect(refusal(() => growing[0]?.growTo(13 * KIB * KIB))).toEqual(NO_MEMORY);
    expect(refusal(() => shared.hold(24 * KIB * KIB, 'b').release())).toBeUndefined();
    // Whose size is known may take more.
    shared.hold(12 * KIB * KIB, 'a').release();
    growing[1]?.release();
    expect(refusal(() => growing[0]?.growTo(22 * KIB * KIB))).toBeUndefined();
  });
});
