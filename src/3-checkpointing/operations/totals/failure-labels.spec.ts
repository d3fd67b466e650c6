import { reasonLabel, stageLabel } from './failure-labels';

it.each([
  ['', 'unknown'],
  ['OOMKilled', 'OOMKilled'],
  ['criu.dump-failed_2', 'criu.dump-failed_2'],
  ['no node answered in 900 seconds', 'unanswered'],
  ['CUDA restore: out of memory', 'out_of_memory'],
  ['write /checkpoints/a: No space left on device', 'no_space'],
  ['context deadline exceeded', 'timeout'],
  ['image page 4711: checksum mismatch', 'corrupt'],
  ['open /proc/4711/mem: permission denied', 'permission'],
  ['cuCheckpointProcessLock failed on GPU 3', 'gpu'],
  ['dial tcp 10.1.2.3:443: connection refused', 'network'],
  ['PUT s3://images/7: 503', 'storage'],
  ['stat /run/x: no such file or directory', 'not_found'],
  ['cancelled: deprecated before it was ready', 'cancelled'],
  ['Error (criu/cr-dump.c:1781): Dumping FAILED.', 'criu'],
  ['file_changed: The file /log has 12 bytes: permission denied', 'file_changed'],
  ['restore: it broke', 'other'],
  [`a_${'x'.repeat(60)}: it broke`, 'other'],
  ['it simply broke at 0x7f', 'other'],
  ['x'.repeat(49), 'other'],
  ['1starts-with-a-digit', 'other'],
])('the reason %j is counted as %s', (reason, label) => {
  expect(reasonLabel(reason)).toBe(label);
});

it('a sentence is never a label', () => {
  for (const reason of ['pod trainer-0 failed', 'a"b', 'a\nb', 'grün', 'é', ' padded '])
    expect(['other', 'unknown']).toContain(reasonLabel(reason));
});

it.each([
  ['', 'unknown'],
  ['memdump', 'memdump'],
  ['criu dump', 'criu dump'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), 'other'],
])('the stage %j is counted as %s', (stage, label) => {
  expect(stageLabel(stage)).toBe(label);
});
