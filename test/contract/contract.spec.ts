import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeWith } from '../support/components';
import { operations } from '../support/description';
import { Service } from '../support/service';

/** Compares the served description with the contract stored next to the checkout. */
const CHECKER = join(__dirname, '../../../shared/contract/check.mjs');

/**
 * Operations of the contract that are not implemented yet. Remove an operation here when you implement it;
 * `files` come in a later issue.
 */
const NOT_BUILT_YET = ['get_file_url', 'create_file_url', 'delete_file', 'list_directory'];

describeWith(['../shared/contract'], 'the contract', () => {
  let service: Service;
  let report: {
    deviations: { operation_id?: string; kind: string; where: string; message: string }[];
    extra: { kind: string; operation_id?: string }[];
  };

  beforeAll(async () => {
    service = await Service.start();
    // The checker requests the description from this process, so it must not block the event loop.
    const checker = spawn(process.execPath, [
      CHECKER,
      service.url,
      '--with',
      'additional',
      '--with',
      'rulings',
      '--json',
    ]);
    report = JSON.parse(await text(checker.stdout));
  });
  afterAll(() => service.close());

  it('is fulfilled by every served operation', () => {
    const missing = report.deviations.filter(({ kind }) => kind === 'operation-missing');
    const served = new Set(operations().map(({ id }) => id));
    expect(report.deviations.filter((deviation) => !missing.includes(deviation))).toEqual([]);
    expect(missing.filter(({ operation_id: id }) => served.has(id ?? ''))).toEqual([]);
    expect(missing.map(({ operation_id: id }) => id).sort()).toEqual([...NOT_BUILT_YET].sort());
  });

  it('contains every served operation, under the same name', () => {
    expect(
      report.extra.filter(({ kind }) => kind === 'operation-extra' || kind === 'operation-id' || kind === 'security'),
    ).toEqual([]);
  });

  it('is served as 205 operations under the listed tags, without the missing ones', () => {
    const tags = [
      'organisations',
      'tokens',
      'user',
      'audit',
      'clusters',
      'nodes',
      'pricing',
      'pods',
      'jobs',
      'actions',
      'checkpoints',
      'restores',
      'restore-events',
      'operations',
      'policies',
      'slurm',
      'slurm-checkpoints',
      'slurm-inventory',
      'slurm-events',
      'maintenance-windows',
      'legacy-jobs',
      'hosts',
      'outbox',
      'metrics',
      'metrics-ingest',
      'slurm-metrics',
      'profiles',
      'activations',
      'artifacts',
      'retention',
      'lifecycle',
      'observations',
      'routes',
      'keys',
      'router',
      'models',
      'costs',
      'experiments',
      'analytics',
      'fleets',
      'instances',
      'plugins',
    ];
    expect(new Set(operations().flatMap((operation) => operation.tags))).toEqual(new Set(tags));
    expect(operations().length).toBe(205);
  });
});
