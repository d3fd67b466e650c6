import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule, PORTS } from '../../src/app.module';
import type { BoundPort } from '../../src/1-platform/common/ports';
import { createLogger } from '../../src/1-platform/common/logger';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { Service } from '../support/service';

const PROJECT = join(__dirname, '../..');

/**
 * Who supplies what, written by hand: a port or an observer that disappears from the composition root must
 * disappear from here too. Observers learn of a change in this order.
 */
const EXPECTED: Record<string, string[]> = {
  Repetitions: ['IdempotencyService'],
  Monitoring: ['PolicyMonitoring'],
  UsedPlaces: ['ArtifactPlaces'],
  ReportedPlacements: ['CheckpointPlacements'],
  ActivationBudgets: ['FleetBudgets'],
  InstanceProvider: ['MarketplaceProvider'],
  PodsChanged: ['RestoredPods', 'WorkerStarts'],
  ClusterDeleting: ['ClusterStarts', 'ClusterSavings'],
  ActionEnded: ['PolicyRetention', 'PolicyCompletion'],
  ProfileSwitched: ['RouteTargets'],
  ActivationMoved: ['IntentVerdicts'],
};

/** Nothing listens there. */
const ENVIRONMENT = { ...readEnvironment({}), databaseUrl: 'postgres://nobody@127.0.0.1:1/none' };

function compositionWithout({ port, provider }: BoundPort): DynamicModule {
  const { providers = [], exports = [], ...rest } = AppModule.with(ENVIRONMENT, createLogger('silent'));
  expect(providers).toContain(provider);
  return {
    ...rest,
    providers: providers.filter((other) => other !== provider),
    exports: exports.filter((other) => other !== port),
  };
}

/** As the service starts, up to where it would connect to its database: all dependencies are resolved. */
async function start(composition: DynamicModule): Promise<void> {
  const app = await NestFactory.create(composition, { logger: false, abortOnError: false, preview: true });
  await app.close();
}

const named = PORTS.map((bound) => [bound.port.name, bound] as const);

describe('the ports of the composition root', () => {
  it('have the suppliers that are written here', () => {
    const bound = PORTS.map(({ port, suppliers }) => [port.name, suppliers.map(({ name }) => name)]);
    expect(Object.fromEntries(bound)).toEqual(EXPECTED);
    expect(bound).toHaveLength(Object.keys(EXPECTED).length);
  });

  it('let the service start when all are there', async () => {
    await expect(start(AppModule.with(ENVIRONMENT, createLogger('silent')))).resolves.toBeUndefined();
  });

  it.each(named)('keep the service from starting when %s is missing', async (name, bound) => {
    await expect(start(compositionWithout(bound))).rejects.toThrow(
      new RegExp(`argument ${name} at index \\[\\d+\\] is available`),
    );
  });
});

describe('every observer in src', () => {
  const SRC = join(PROJECT, 'src');
  const observers = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => [
      ...readFileSync(join(SRC, file), 'utf8').matchAll(
        /class (\w+) implements [^{]*\b(?:Transaction|Commit)Observer</g,
      ),
    ])
    .map(([, name]) => name);

  it('is bound in the composition root', () => {
    const bound = new Set(PORTS.flatMap(({ suppliers }) => suppliers.map(({ name }) => name)));
    expect(observers.length).toBeGreaterThan(5);
    expect(observers.filter((name) => !bound.has(name ?? ''))).toEqual([]);
  });
});

describe('the sweeps of a started service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  it('are those of the table in docs/wings/1-platform.md', () => {
    const page = readFileSync(join(PROJECT, 'docs/wings/1-platform.md'), 'utf8');
    const [, table = ''] = /\n\| Sweep [^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(page) ?? [];
    const documented = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    const added = [...service.app.get(Sweeps)['sweeps'].keys()];
    expect(added.sort()).toEqual(documented.sort());
  });
});
