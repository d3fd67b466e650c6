import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const PROJECT = join(__dirname, '../../..');
const LIMITS = readFileSync(join(PROJECT, 'docker/kubernetes/components/two-controllers/controller.yaml'), 'utf8');
const GUIDE = readFileSync(join(PROJECT, 'docs/guides/agents-kubernetes.md'), 'utf8');

const PROGRAM = join(__dirname, 'keep-pods.ts');
const PODS = 4_000;

describe('the controller of Kubernetes', () => {
  let kept: number;

  // In a process of its own: what other tests have left may go meanwhile, and would count.
  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM, String(PODS)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { bytes, ...found } = JSON.parse(stdout) as Record<'bytes' | 'pods' | 'jobs', number>;
    expect(found).toEqual({ pods: PODS, jobs: PODS });
    kept = bytes / PODS;
  });

  it('keeps a pod that is prepared as in its guide, and its job, in as much memory as the guide says', () => {
    const [, documented] = /in 4 to (\d+) KiB of memory/.exec(GUIDE) ?? [];
    expect(kept).toBeLessThan(Number(documented) * 1_024);
    // Smaller pods would show nothing.
    expect(kept).toBeGreaterThan(10 * 1_024);
  });

  it('has the memory for as many of them as its manifest says, also when it starts', () => {
    const [, pods = ''] = /For ([\d,]+) pods/.exec(LIMITS) ?? [];
    const { spec } = parse(LIMITS) as {
      spec: { template: { spec: { containers: { resources: { limits: { memory: string } } }[] } } };
    };
    const [, gibibytes] = /^(\d+)Gi$/.exec(spec.template.spec.containers[0]!.resources.limits.memory) ?? [];
    // Node's heap may have half of it. At the start, lists and reports take 0.4 of what the pods take.
    expect(Number(pods.replaceAll(',', '')) * kept * 1.4).toBeLessThan((Number(gibibytes) * 1_024 ** 3) / 2);
  });
});
