import { createHash } from 'node:crypto';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { BODY_EXAMPLE } from '../1-platform/endpoints/operation.decorator';
import { ProblemView } from '../1-platform/common/answers/problem.dto';
import { HostCpuObject, HostMemoryObject, HostObject } from '../2-inventory/hosts/hosts.dto';
import {
  LegacyJobCheckpointBody,
  LegacyJobCheckpointObject,
  LegacyJobObject,
  LegacyJobStateObject,
} from '../2-inventory/legacy-jobs/legacy-jobs.dto';
import { RestoreEventBody, RestoreView } from '../3-checkpointing/restores/restores.dto';

const TAGS: Readonly<Record<string, string>> = {
  organisations: 'Owners of rows',
  tokens: 'Access tokens',
  user: 'The caller',
  audit: 'Changes made through the API',
  clusters: 'Cluster registry, and what clusters tell of themselves',
  nodes: 'Nodes of Kubernetes clusters',
  pricing: 'What an hour of an instance costs',
  instances: 'Machines of a marketplace of clouds',
  pods: 'Pods of Kubernetes clusters',
  jobs: 'Jobs of Kubernetes clusters',
  outbox: 'What controllers are to do or to know, in order',
  actions: 'Checkpoint, restore and heartbeat actions',
  checkpoints: 'Checkpoints, from the ask to the upload',
  restores: 'Restores, as their events tell them',
  'restore-events': 'What nodes report of a restore',
  policies: 'Checkpoints that are asked for by themselves: at an interval, or when a window starts',
  slurm: 'Jobs of Slurm clusters',
  'slurm-checkpoints': 'Checkpoints and restores of Slurm jobs',
  'slurm-inventory': 'Slurm clusters, nodes and partitions',
  'slurm-events': 'Slurm jobs that ended',
  'maintenance-windows': 'Reservations of Slurm clusters, and windows made by hand',
  'legacy-jobs': 'Jobs and job checkpoints of node daemons on plain hosts',
  hosts: 'Plain hosts',
  operations: 'One fact for each attempt to checkpoint or restore',
  profiles: 'Ways to serve a model: what is wanted of them, and how far their starts are',
  activations: 'What really runs of profiles',
  artifacts: 'Checkpoints of workers that others can be restored from',
  retention: 'How long artefacts are kept',
  lifecycle: 'What happened to workers, models, routes and nodes',
  observations: 'What was measured',
  routes: 'Which profiles serve a model, and chats with it',
  models: 'What can be asked for',
  keys: 'Bearers of model traffic: what they may ask for, spend, and how fast',
  router: 'For gateways of their own: who is let in, where it goes, what it cost',
  costs: 'What profiles cost',
  experiments: 'Load tests, and what was observed in them',
  fleets: 'Groups of profiles, and what a group may cost',
  analytics: 'What was served, started and stored',
  'metrics-ingest': 'Samples of metrics, by the protocols of Prometheus and OpenTelemetry',
  'slurm-metrics': 'What was measured of Slurm clusters',
  plugins: 'Builds that nodes install: published, listed, handed out',
  metrics: 'Aggregates over the facts, and what was measured of GPUs, pods and nodes',
};

/** Classes of objects that hold further members than those described. */
const OPEN_OBJECTS = [
  RestoreEventBody,
  RestoreView,
  HostObject,
  HostCpuObject,
  HostMemoryObject,
  LegacyJobObject,
  LegacyJobStateObject,
  LegacyJobCheckpointBody,
  LegacyJobCheckpointObject,
];

/** The description of the API, made from what its handlers and their classes declare. */
export function describe(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Workload checkpoint, restore and inference control plane')
    .setVersion('0.0.0-dev')
    .setDescription('Checkpoints, restores and serving of workloads on Kubernetes, Slurm and plain hosts.')
    .setOpenAPIVersion('3.0.3')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An access token' }, 'bearer')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An inference key (`sk-…`)' }, 'inference_key');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), { extraModels: [ProblemView] });
  for (const { name } of OPEN_OBJECTS)
    Object.assign(document.components?.schemas?.[name] ?? {}, { additionalProperties: true });
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path) as OperationObject[]))
    moveExample(operation);
  return openAny(document);
}

interface OperationObject {
  requestBody?: { content: Record<string, { example?: unknown }> };
  [BODY_EXAMPLE]?: unknown;
}

function moveExample(operation: OperationObject): void {
  const example = operation[BODY_EXAMPLE];
  delete operation[BODY_EXAMPLE];
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (example !== undefined) media.example = example;
}

/** A member of any type has no type, and null is one of its values: the generator writes `object` for it. */
function openAny<T>(node: T): T {
  if (Array.isArray(node)) return node.map(openAny) as T;
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-any': any, ...rest } = node as Record<string, unknown>;
  const entries = Object.entries(rest).filter(([name]) => !(any === true && (name === 'type' || name === 'nullable')));
  return Object.fromEntries(entries.map(([name, value]) => [name, openAny(value)])) as T;
}

interface Written {
  readonly document: OpenAPIObject;
  readonly json: Buffer;
  readonly tag: string;
}

const written = new WeakMap<INestApplication, Written>();

/**
 * Makes the description and writes it, once: it does not change while the process runs.
 * That takes a quarter of a second, so it is done before the service listens. Where it
 * was not (in tests), the first who asks for it waits.
 */
export function writeDescription(app: INestApplication): Written {
  const known = written.get(app);
  if (known) return known;
  const document = describe(app);
  const json = Buffer.from(JSON.stringify(document));
  const made = { document, json, tag: `"${createHash('sha256').update(json).digest('base64url')}"` };
  written.set(app, made);
  return made;
}

/** `GET /v1/openapi.json` and the page at `/docs`, whose Authorize button takes an access token. */
export function serveDescription(app: NestExpressApplication): void {
  const express = app.getHttpAdapter().getInstance();
  express.get('/v1/openapi.json', (request, response) => {
    const { json, tag } = writeDescription(app);
    response.setHeader('etag', tag);
    // It may be kept, and is asked for again each time.
    response.setHeader('cache-control', 'no-cache');
    if (request.fresh) response.status(304).end();
    else response.type('application/json').send(json);
  });
  SwaggerModule.setup('docs', app, () => writeDescription(app).document, {
    raw: false,
    customSiteTitle: 'Control plane API',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}
