import { setTimeout as sleep } from 'node:timers/promises';
import { findings, outboxFindings } from '../history/checker';
import { recordHistory } from '../history/clients';
import type { Call } from '../history/history';
import { readOutbox } from '../history/outbox-reader';
import { createSubjects } from '../history/subjects';
import { overHttp, type Transport } from '../history/transport';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { inParallel, seeded } from '../support/random';
import { Replicas } from '../support/replicas';

const REPLICAS = 2;
const HISTORIES = inForm(10, 1_000);
/** However quick the histories are. */
const KILLS = 2;
/** Recorded at a time, each by half of the clients. */
const LANES = 2;
const CLIENTS = 16;
const CALLS = 10;
const LONG_MS = 3_600_000;

/** One replica is killed at a time, and half of all connections to the database are closed now and then. */
describe('what 16 clients of two replicas ask and receive while processes are killed and connections end', () => {
  let replicas: Replicas;
  /** Of the replicas that run. */
  let urls: string[];
  let transport: Transport;

  beforeAll(async () => {
    replicas = await Replicas.start(REPLICAS);
    urls = replicas.all.map(({ url }) => url);
    transport = overHttp((client) => urls[client % urls.length] ?? '');
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  const cut = async (random: () => number): Promise<number> => {
    const { rows } = await replicas.db.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'checkpoint-control-plane' order by pid`,
    );
    const pids = rows.map(({ pid }) => pid).filter(() => random() < 0.5);
    await replicas.db.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
    return pids.length;
  };

  async function killAndReplace(random: () => number): Promise<void> {
    const running = replicas.all.filter(({ process }) => !process.ended);
    const victim = running[Math.floor(random() * running.length)];
    if (!victim) throw new Error('no replica runs');
    victim.process.kill();
    urls = urls.filter((url) => url !== victim.url);
    await victim.process.exit;
    urls = [...urls, (await replicas.add()).url];
  }

  it(
    'fits one order of all calls for each object, and loses no event',
    async () => {
      const random = seeded(SEED);
      const bearer = replicas.organisation().admin.token ?? '';
      const before = await readOutbox(transport, bearer, 'checker');
      const calls: Call[] = [];
      const found: string[] = [];
      const done = { histories: 0, kills: 0, cut: 0, unknown: 0 };
      let failed = false;
      const over = () => failed || (done.histories >= HISTORIES && done.kills >= KILLS && done.cut > 0);
      // In turn: a process whose first connection ends does not start.
      const disturb = async (): Promise<void> => {
        while (!over()) {
          await sleep(100 + random() * 400);
          done.cut += await cut(random);
          await sleep(100 + random() * 400);
          await killAndReplace(random);
          done.kills++;
        }
      };
      const disturbing = disturb().catch((error: unknown) => {
        failed = true;
        throw error;
      });
      disturbing.catch(() => undefined);
      const record = async (place: number): Promise<void> => {
        const subjects = await createSubjects(transport, bearer, REPLICAS);
        const session = { transport, bearer, subjects, seed: SEED + place, clients: CLIENTS / LANES, calls: CALLS };
        const history = await recordHistory(session);
        found.push(...findings(history).map(({ what }) => what));
        calls.push(...history.calls);
        done.unknown += history.unknown;
        done.histories++;
      };
      await inParallel(Array.from({ length: LANES }), LANES, async (_, lane) => {
        for (let place = lane; !over(); place += LANES) await record(place);
      });
      await disturbing;
      const events = await readOutbox(transport, bearer, 'checker', before.at(-1)?.id);
      found.push(...outboxFindings(calls, events).map(({ what }) => what));
      const attack = `${CLIENTS} clients, ${calls.length} calls, ${done.unknown} without an answer, ${done.kills} kills, ${done.cut} connections ended, seed ${SEED}`;
      const figure = { row: 36, attack, unit: '' };
      recordFigure({ ...figure, measure: 'histories', value: done.histories, bound: { atLeast: HISTORIES } });
      recordFigure({ ...figure, measure: 'anomalies', value: found.length, bound: { atMost: 0 } });
      expect(found.slice(0, 20)).toEqual([]);
      expect(events.length).toBeGreaterThan(HISTORIES);
      expect(calls.length).toBeGreaterThan(HISTORIES * CLIENTS);
      // In a few histories, every call may have an answer.
      for (const times of [done.kills, done.cut, ...inForm([], [done.unknown])]) expect(times).toBeGreaterThan(0);
    },
    inForm(undefined, LONG_MS),
  );
});
