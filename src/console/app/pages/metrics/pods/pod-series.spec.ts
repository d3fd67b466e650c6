import { pointsOf, type PodSample } from './pod-series';

const AT = Date.parse('2026-03-04T10:00:00Z');
const sample = (seconds: number, cpu: number, bytes = 1_000): PodSample =>
  ({
    timestamp: new Date(AT + seconds * 1_000).toISOString(),
    cpu_usage_seconds: cpu,
    memory_bytes: bytes,
  }) as PodSample;

/** Oldest first. */
const coresOf = (...samples: PodSample[]) => pointsOf(samples.toReversed()).map(({ cores }) => cores);

describe('the use of a pod', () => {
  it('is the CPU time between two samples, oldest first', () => {
    expect(coresOf(sample(0, 100), sample(15, 130), sample(30, 137.5))).toEqual([null, 2, 0.5]);
  });

  it('is unknown after a restart, after a long silence, and after a sample without CPU time', () => {
    expect(coresOf(sample(0, 100), sample(15, 4))).toEqual([null, null]);
    expect(coresOf(sample(0, 100), sample(3_600, 110))).toEqual([null, null]);
    expect(coresOf(sample(0, 0), sample(15, 110))).toEqual([null, null]);
  });

  it('has no memory where none was reported', () => {
    expect(pointsOf([sample(15, 2, 0), sample(0, 1, 7)]).map(({ bytes }) => bytes)).toEqual([7, null]);
  });
});
