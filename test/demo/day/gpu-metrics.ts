import { UNAVAILABLE } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { body1, HEADERS_1, type BuiltSeries } from '../../support/remote-write';
import type { GpuHolder } from './training';

const SCRAPE_EVERY_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Distance of samples in the hour before the demo began. */
const BEFORE_EVERY_MS = 60_000;

const FRAME_BUFFER_MIB = 81_559;

/** What the exporter of NVIDIA's DCGM reports of each GPU, written as Prometheus writes it. */
export class GpuMetrics {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly pace: Pace,
    private readonly holders: readonly GpuHolder[],
  ) {}

  /** The hour before, so that there is something to look at; ends only when the demo stops. */
  async work(): Promise<void> {
    const began = Date.now();
    const before: number[] = [];
    for (let at = began - HOUR_MS; at < began; at += BEFORE_EVERY_MS) before.push(at);
    await this.write(before);
    for (;;) {
      await this.write([Date.now()]);
      await this.pace.sleep(SCRAPE_EVERY_MS);
    }
  }

  private async write(moments: readonly number[]): Promise<void> {
    const series = this.holders.flatMap((holder, place) => seriesOf(holder, place, moments));
    const headers = { ...HEADERS_1, authorization: `Bearer ${this.token}` };
    const signal = this.pace.patience;
    const body = new Uint8Array(body1(...series));
    const { status } = await fetch(`${this.url}/v1/metrics/write`, { method: 'POST', headers, body, signal });
    // A scrape that a busy service refuses is missing, as in a real cluster.
    if (status >= 400 && !UNAVAILABLE.has(status)) throw new Error(`metrics were answered ${status}`);
  }
}

function seriesOf({ node, gpu, pod }: GpuHolder, place: number, moments: readonly number[]): BuiltSeries[] {
  const labels = {
    gpu: String(gpu),
    UUID: `GPU-${node}-${gpu}`,
    Hostname: node,
    modelName: 'NVIDIA H100 80GB HBM3',
    namespace: 'training',
    pod,
  };
  const metric = (name: string, valueAt: (at: number) => number): BuiltSeries => ({
    labels: { __name__: name, ...labels },
    samples: moments.map((at) => [at, Math.round(valueAt(at))]),
  });
  const used = (at: number) => FRAME_BUFFER_MIB * (0.62 + 0.2 * Math.sin(at / 900_000 + place));
  return [
    metric('DCGM_FI_DEV_GPU_UTIL', (at) => utilization(pod, at, place)),
    metric('DCGM_FI_DEV_FB_USED', used),
    metric('DCGM_FI_DEV_FB_FREE', (at) => FRAME_BUFFER_MIB - used(at)),
    metric('DCGM_FI_DEV_POWER_USAGE', (at) => 120 + 5.6 * utilization(pod, at, place)),
    metric('DCGM_FI_DEV_GPU_TEMP', (at) => 34 + 0.38 * utilization(pod, at, place)),
  ];
}

/** Steps of training keep a GPU busy, with a dip at each checkpoint; evaluation comes and goes. */
function utilization(pod: string, at: number, place: number): number {
  const wave = 4 * Math.sin(at / 47_000 + place * 1.7);
  if (pod.startsWith('eval')) return Math.max(0, 55 * Math.sin(at / 400_000 + place) + wave);
  const dip = (at / 60_000 + place) % 11 < 1 ? 55 : 0;
  return Math.max(0, Math.min(100, 93 + wave - dip));
}
