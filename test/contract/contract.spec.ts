import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeWith } from '../support/components';
import { operations } from '../support/description';
import { Service } from '../support/service';

/** Holds the served description against the contract kept beside the checkout. */
const CHECKER = join(__dirname, '../../../shared/contract/check.mjs');

/**
 * Operations of the contract that are not built yet. Whoever builds
 * one removes it here; `files` come in a later issue.
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
    // The checker asks this very process for the description, so it must not be waited for with the thread.
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

  it('is kept by every operation that is served', () => {
    const missing = report.deviations.filter(({ kind }) => kind === 'operation-missing');
    const served = new Set(operations().map(({ id }) => id));
    expect(report.deviations.filter((deviation) => !missing.includes(deviation))).toEqual([]);
    expect(missing.filter(({ operation_id: id }) => served.has(id ?? ''))).toEqual([]);
    expect(missing.map(({ operation_id: id }) => id).sort()).toEqual([...NOT_BUILT_YET].sort());
  });

  it('knows every operation that is served, under the same name', () => {
    expect(
      report.extra.filter(({ kind }) => kind === 'operation-extra' || kind === 'operation-id' || kind === 'security'),
    ).toEqual([]);
  });

  it('is built as far as policies, Slurm, plain hosts, inference state, inference traffic, experiments, fleets, metrics that come in and instances', () => {
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
