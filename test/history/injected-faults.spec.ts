import { SEED } from '../support/form';
import { seeded } from '../support/random';
import { Service, type Organisation } from '../support/service';
import { findings, outboxFindings, type Finding } from './checker';
import { recordHistory } from './clients';
import { INJECTED_FAULTS, type InjectedFault } from './injected-faults';
import { readOutbox } from './outbox-reader';
import { createSubjects } from './subjects';
import { overHttp, type Transport } from './transport';

const REPLICAS = 2;
const CLIENTS = 4;
const CALLS = 40;
/** Histories of a service with a fault, at most. */
const HISTORIES = 10;
/** Histories of a service that is right. */
const RIGHT = 4;

describe(`the history checker, with the seed ${SEED}`, () => {
  let service: Service;
  let org: Organisation;
  let real: Transport;
  /** The last event that was read. */
  let seen = 0;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const urls = [service.url, (await service.replica()).url];
    real = overHttp((client) => urls[client % urls.length] ?? service.url);
  });
  afterAll(() => service.close());

  /** The findings in a history of a service with this fault. */
  async function found(fault: Partial<InjectedFault>, seed: number, only?: string): Promise<Finding[]> {
    const bearer = org.admin.token ?? '';
    const subjects = await createSubjects(real, bearer, REPLICAS);
    const transport = fault.requests?.(real) ?? real;
    const history = await recordHistory({ transport, bearer, subjects, seed, only, clients: CLIENTS, calls: CALLS });
    const events = await readOutbox(real, bearer, 'checker', seen);
    seen = events.at(-1)?.id ?? seen;
    const delivered = fault.events?.(events) ?? events;
    return [...findings(history), ...outboxFindings(history.calls, delivered)];
  }

  it.each(INJECTED_FAULTS)('finds a service that $name', async ({ found: kind, ...fault }) => {
    const only = kind === 'outbox' ? 'intent' : kind;
    const kinds = new Set<string>();
    // If no client looks between a write that was lost and the next one, another history shows it.
    for (let seed = SEED; seed < SEED + HISTORIES && !kinds.has(kind); seed++)
      for (const finding of await found(fault, seed, only)) kinds.add(finding.kind);
    expect([...kinds]).toContain(kind);
  });

  it('finds nothing in a service that is right', async () => {
    const random = seeded(SEED);
    for (let time = 0; time < RIGHT; time++) expect(await found({}, Math.floor(random() * 1_000))).toEqual([]);
  });
});
