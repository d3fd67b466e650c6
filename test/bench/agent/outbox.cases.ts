import { join } from 'node:path';
import { ProtocolSupervisor, fileChanged } from '../../agent/host/protocol-supervisor';
import { quantile, type BenchCase } from '../bench';
import { missingForAgent, Stand, until } from './stand';

const NAME = 'reached';
const REQUESTS = 100;

/**
 * From the request, which is longer than from its event, to the first step of the supervisor. The supervisor
 * fails each of them, so that no dump is measured.
 */
export const agentOutbox: BenchCase = {
  name: 'agent-outbox',
  what: `a request for a checkpoint until the supervisor begins with it, ${REQUESTS} one after the other`,
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-outbox');
    const supervisor = await ProtocolSupervisor.start(join(stand.directory, 'state'), NAME);
    const podId = await stand.podOf(NAME);
    let begunAt = 0;
    supervisor.dump = () => {
      begunAt = performance.now();
      throw fileChanged();
    };
    const one = async (): Promise<number> => {
      begunAt = 0;
      const began = performance.now();
      const actionId = await stand.ask('/v1/checkpoint/pod', { pod_id: podId });
      await until(() => begunAt > 0, 1);
      await until(async () => {
        const { body } = await bench.get(`/v1/actions/${actionId}`);
        return (body as { status: string }).status === 'error';
      });
      return begunAt - began;
    };
    return {
      sides: [
        {
          name: 'request to supervisor',
          async run() {
            const times: number[] = [];
            for (let request = 0; request < REQUESTS; request++) times.push(await one());
            return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
          },
        },
      ],
      bounds: [
        {
          of: 'request to supervisor p99',
          atMost: 50,
          row: { what: 'request until the first step of the supervisor, 99th percentile', against: '-' },
        },
      ],
      close: async () => {
        await supervisor.end(0);
        await stand.close();
      },
    };
  },
};
