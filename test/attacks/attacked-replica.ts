import type pg from 'pg';
import { expectFigure } from '../support/figures';
import { Replicas } from '../support/replicas';
import { servicePid } from '../support/resident';
import { flood, pinToServiceCore, wire, type Stream, type StreamResult } from './flood';

/** A service that has just started compiles its code meanwhile. */
const WARM_UP_MS = 3_000;
const MS = 8_000;
const LOOK_EVERY_MS = 500;

/** What became of an attack, and of the reads of a tenant beside it. */
export type Beside = Readonly<Record<'attack' | 'reads', StreamResult>>;

/** One replica, which shares a core with its database, and a tenant who reads from it beside an attack. */
export class AttackedReplica {
  private constructor(private readonly replicas: Replicas) {}

  /** @param fill writes what is there before the attack */
  static async start(fill: (db: pg.Pool) => Promise<unknown> = async () => {}): Promise<AttackedReplica> {
    const replicas = await Replicas.start(1);
    await fill(replicas.db);
    pinToServiceCore(Number(servicePid(replicas.of(0).process)));
    return new AttackedReplica(replicas);
  }

  get url(): string {
    return this.replicas.of(0).url;
  }

  /** @param look is called now and then while the attack is measured */
  async under(attack: Stream, look: () => Promise<void> = async () => {}): Promise<Beside> {
    const { token } = this.replicas.organisation().admin;
    const reads = { requests: [wire('/v1/nodes', token)], connections: 20, rate: 50 };
    const sent = (milliseconds: number) => flood({ url: this.url, milliseconds, streams: { attack, reads } });
    await sent(WARM_UP_MS);
    const looks = setInterval(() => void look(), LOOK_EVERY_MS);
    const { streams } = await sent(MS).finally(() => clearInterval(looks));
    return streams;
  }

  close(): Promise<void> {
    return this.replicas.close();
  }
}

/** Of 100 requests that were due. */
export const answeredOf = ({ statuses, sent, unsent }: StreamResult): number =>
  (100 * (statuses['200'] ?? 0)) / (sent + unsent);

/** @param mostMs of 99 in 100 */
export function expectReads(attack: string, { reads }: Beside, mostMs: number): void {
  const served = { attack, measure: 'reads of a tenant served, of 100', unit: '' };
  expectFigure({ ...served, value: answeredOf(reads), bound: { atLeast: 99 } });
  const slowest = { attack, measure: 'reads of a tenant, p99', unit: 'ms' };
  expectFigure({ ...slowest, value: reads.served.p99, bound: { atMost: mostMs } });
}
