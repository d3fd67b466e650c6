import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeWith } from '../support/components';
import { operations } from '../support/description';
import { printFigures, recordFigure } from '../support/figures';
import { Service } from '../support/service';

/** Compares the served description with the contract stored next to the checkout. */
const CHECKER = join(__dirname, '../../../shared/contract/check.mjs');

/**
 * Operations beyond the contract: a list that only had single facts, how people sign in, what the service
 * knows of a route, costs by day, bins of GPU samples, numbers of nodes, when policies fire,
 * and their pause.
 */
const ADDED_FOR_THE_CONSOLE = [
  'get_daily_costs',
  'get_gpu_heatmap',
  'get_nodes_summary',
  'get_policy_schedule',
  'get_route_state',
  'get_sign_in',
  'list_operations',
  'preview_pipeline_policy',
  'update_pipeline_policy',
];

/**
 * The contract has no word for the removal of bytes, which agents confirm. It has no list of queued
 * workloads, for an agent that takes over.
 */
const ADDED_FOR_AGENTS = [
  'confirm_artifact_removal',
  'confirm_checkpoint_removal',
  'list_forgotten_checkpoints',
  'list_workloads',
];

/** The contract creates keys and routes, and has no word for what becomes of them. */
const ADDED_FOR_OPERATORS = ['delete_route', 'update_inference_key'];

const ADDED = [...ADDED_FOR_THE_CONSOLE, ...ADDED_FOR_AGENTS, ...ADDED_FOR_OPERATORS].toSorted();

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
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  it('is fulfilled', () => {
    const compared = operations().length - ADDED.length;
    const figure = {
      row: 14,
      attack: `the served description of ${compared} operations beside the contract`,
      unit: '',
    };
    recordFigure({ ...figure, measure: 'deviations', value: report.deviations.length, bound: { atMost: 0 } });
    expect(report.deviations).toEqual([]);
  });

  it('contains every served operation, under the same name, except those that the console, agents or operators needed', () => {
    const extra = report.extra.filter(({ kind }) => ['operation-extra', 'operation-id', 'security'].includes(kind));
    expect(extra.filter(({ kind }) => kind !== 'operation-extra')).toEqual([]);
    expect(extra.map(({ operation_id }) => operation_id).toSorted()).toEqual(ADDED);
  });

  it('is served as 209 operations and those beyond the contract, under the listed tags', () => {
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
      'files',
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
    expect(operations().length).toBe(209 + ADDED.length);
  });
});
