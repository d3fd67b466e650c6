import type { Problem } from '../common/problem';
import { BodyMemory } from './body-memory';

const memory = (): BodyMemory => new BodyMemory({ bodyMemoryBytes: 100 });

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

  it('lets in one body that is larger than all of it, and no second one beside it', () => {
    const shared = memory();
    const large = shared.hold(1_000);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
    expect(refusal(() => large.growTo(2_000))).toBeUndefined();
    large.release();
    expect(refusal(() => shared.hold(100))).toBeUndefined();
  });

  it('refuses a body that grows while another one has the rest, and leaves it what it has', () => {
    const shared = memory();
    const first = shared.hold(30);
    const second = shared.hold(50);
    expect(refusal(() => first.growTo(60))).toEqual(NO_MEMORY);
    first.growTo(20);
    expect(refusal(() => shared.hold(21))).toEqual(NO_MEMORY);
    second.release();
    expect(refusal(() => first.growTo(100))).toBeUndefined();
  });

  it('is given back in part when a body is smaller than it might have been', () => {
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

  it('is given back once, and takes nothing after that', () => {
    const shared = memory();
    const hold = shared.hold(90);
    hold.release();
    hold.release();
    hold.growTo(90);
    shared.hold(100);
    expect(refusal(() => shared.hold(1))).toEqual(NO_MEMORY);
  });
});
