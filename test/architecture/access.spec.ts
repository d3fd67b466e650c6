import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AccessDeclarations } from '../../src/1-platform/endpoints/access-declarations';
import { json, Operation, text } from '../../src/1-platform/endpoints/operation.decorator';
import { ProblemView } from '../../src/1-platform/common/answers/problem.dto';
import { newId } from '../../src/1-platform/common/ids';
import { operations, type DescribedOperation } from '../support/description';
import { Service, type Caller, type Organisation } from '../support/service';

/**
 * Who may call what, written by hand from the rules of the interface and independent of the code. What stands
 * in no list follows the two plain rules: a GET is a read (every role), anything else is the operators'.
 */
const ADMIN = ['list_organisations', 'create_organisation', 'list_tokens', 'create_token', 'revoke_token'];

/** Of these, only admins of platform scope are let in. */
const PLATFORM = ['create_organisation'];

/** Changes that tell of other people: not for viewers and machines, though it is a GET. */
const OPERATORS_READ = ['list_audit_entries'];

/** Manifests may hold secrets: a GET, but not for viewers. */
const MACHINES_READ = ['get_workload'];

/** Only the controllers of clusters: operators and viewers are refused. */
const CONTROLLER = [
  'report_activation',
  'report_checkpoint_progress',
  'update_workload',
  'register_artifact',
  'record_lifecycle_event',
  'record_observation',
  'ack_outbox',
  'update_profile_checkpoint',
  'put_worker_endpoint',
  'get_router_config',
  'resolve_request',
  'record_router_telemetry',
  'record_router_metrics',
];

/** Sent by agents and plugins, and by operators too. */
const SHARED = [
  // Agents register their cluster at every start.
  'save_cluster',
  // Syncs of clusters and of Slurm.
  'sync_cluster',
  'sync_cluster_batch',
  'sync_slurm_jobs',
  'sync_slurm_clusters',
  'sync_slurm_nodes',
  'sync_slurm_partitions',
  'sync_maintenance_windows',
  // Restore events, and the profile that belongs to them.
  'record_restore_start',
  'record_restore_success',
  'record_restore_error',
  'put_restore_profile',
  // Checkpoint create, info and uploaded; the pod of an action.
  'create_checkpoint',
  'put_checkpoint_info',
  'report_checkpoint_uploaded',
  'create_slurm_checkpoint',
  'put_slurm_checkpoint_info',
  'report_slurm_checkpoint_uploaded',
  'upload_action_pod',
  // Legacy writes.
  'put_legacy_job',
  'delete_legacy_job',
  'put_legacy_job_checkpoint',
  'delete_legacy_job_checkpoint',
  'put_host',
  'delete_host',
  // Metrics ingest.
  'write_metrics',
  'export_otlp_metrics',
  'record_engine_deployment_metrics',
  // The status of an artefact: each role sets what is its own.
  'update_artifact',
  // Set state, and the asks for checkpoints and restarts.
  'set_profile_state',
  'checkpoint_pod',
  'checkpoint_slurm_job',
  'request_profile_checkpoint',
  'restart_profile',
];

/** Called by installers before they hold a token. */
const PUBLIC = [
  'download_main_binary',
  'download_install_script',
  'download_slurm_install_script',
  'list_plugins',
  'download_plugin_binary',
];

/** Questions that are asked with a POST because they need a body: they change nothing. */
const ASKED_BY_POST = ['simulate_route', 'lookup_artifacts', 'preview_retention'];

const ROLES = ['admin', 'operator', 'viewer', 'controller'] as const;

/**
 * What an inference key may call, and who else may: a router shows the key of its own caller, a chat costs
 * money, and what there is to ask for may be read by everybody. A key may call nothing beside these.
 */
const OF_INFERENCE_KEYS: Record<string, string[]> = {
  authorize_request: ['key'],
  create_chat_completion: ['admin', 'operator', 'key'],
  create_completion: ['admin', 'operator', 'key'],
  create_embedding: ['admin', 'operator', 'key'],
  create_response: ['admin', 'operator', 'key'],
  list_models: [...ROLES, 'key'],
  get_model: [...ROLES, 'key'],
};

function rolesByHand({ id, method }: DescribedOperation): string[] {
  if (OF_INFERENCE_KEYS[id]) return OF_INFERENCE_KEYS[id];
  if (PUBLIC.includes(id)) return [];
  if (ADMIN.includes(id)) return ['admin'];
  if (CONTROLLER.includes(id)) return ['admin', 'controller'];
  if (SHARED.includes(id) || MACHINES_READ.includes(id)) return ['admin', 'operator', 'controller'];
  if (OPERATORS_READ.includes(id)) return ['admin', 'operator'];
  return method === 'get' || ASKED_BY_POST.includes(id) ? [...ROLES] : ['admin', 'operator'];
}

const described = operations();
const named = (list: DescribedOperation[]) => list.map((operation) => [operation.id, operation] as const);

describe('who may call an operation', () => {
  it('is declared by every operation, which has a name of its own', () => {
    expect(described.length).toBeGreaterThan(50);
    for (const { id, path, roles } of described) expect([id, path, Array.isArray(roles)]).toEqual([id, path, true]);
    const ids = described.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(named(described))('%s is declared as the rules say', (_id, operation) => {
    expect([...operation.roles].sort()).toEqual(rolesByHand(operation).sort());
    expect(operation.scope).toBe(PLATFORM.includes(operation.id) ? 'platform' : undefined);
  });

  describe('is kept by the service', () => {
    let service: Service;
    let org: Organisation;
    let key: Caller;

    beforeAll(async () => {
      service = await Service.start();
      org = await service.organisation();
      key = service.as((await org.operator.post('/v1/inference/keys', { name: 'key' })).body.raw_key as string);
    });
    afterAll(() => service.close());

    /** The least that reaches the operation: an id that names nothing, and an empty body. */
    const call = (caller: Caller, { method, path, parameters, requestBody }: DescribedOperation) => {
      const filled = path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
        const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema;
        return schema?.type === 'integer' ? '0' : newId();
      });
      return caller.send(method, filled, requestBody ? {} : undefined, {});
    };

    it.each(named(described))('%s', async (id, operation) => {
      const nobody = await call(service.as(undefined), operation);
      if (operation.roles.length === 0 && PUBLIC.includes(id)) expect(nobody.status).not.toBe(401);
      else expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthenticated']);

      for (const role of [...ROLES, 'key'] as const) {
        const { status, body } = await call(role === 'key' ? key : org[role], operation);
        const allowed = operation.roles.length === 0 || (operation.roles.includes(role) && !PLATFORM.includes(id));
        if (!allowed) expect([role, status, body.code]).toEqual([role, 403, 'forbidden']);
        // A refusal for another reason than the role comes from behind the guard.
        else
          expect([role, [401, 500].includes(status) || body.code === 'forbidden' ? status : 'let in']).toEqual([
            role,
            'let in',
          ]);
      }
      if (PLATFORM.includes(id)) expect([401, 403, 500]).not.toContain((await call(service.admin, operation)).status);
    });

    it.each(['/livez', '/readyz', '/metrics', '/v1/openapi.json', '/docs'])('%s needs no bearer', async (path) => {
      expect((await service.as(undefined).get(path)).status).toBe(200);
    });

    it('refuses what only looks like a bearer', async () => {
      const { token = '' } = org.operator;
      for (const authorization of [
        '',
        'Bearer',
        'Bearer ',
        token,
        `Basic ${token}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}x`,
        `Bearer ${token} ${token}`,
        `Bearer ${token.toUpperCase()}`,
        `Bearer ${'a'.repeat(9_000)}`,
      ]) {
        const answer = await service.as(undefined).get('/v1/user', { authorization });
        expect([authorization, answer.status]).toEqual([authorization, 401]);
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
      // The scheme's name has no case (RFC 9110, section 11.1).
      expect((await service.as(undefined).get('/v1/user', { authorization: `bearer ${token}` })).status).toBe(200);
    });
  });

  describe('must be declared, or the service does not boot', () => {
    const boot = async (...controllers: (new () => object)[]): Promise<void> => {
      @Module({ imports: [DiscoveryModule], controllers, providers: [AccessDeclarations] })
      class Some {}
      const app = await NestFactory.create(Some, { logger: false, abortOnError: false });
      try {
        await app.init();
      } finally {
        await app.close();
      }
    };

    @Controller('declared')
    class Declared {
      @Get()
      @Operation({
        id: 'declared',
        summary: 'Declared',
        description: 'Declared',
        access: 'read',
        answer: text('Anything'),
      })
      get(): string {
        return '';
      }
    }
    @Controller('undeclared')
    class Undeclared {
      @Get()
      get(): string {
        return '';
      }
    }
    @Controller('same-name')
    class SameName {
      @Get()
      @Operation({
        id: 'declared',
        summary: 'Another',
        description: 'Another',
        access: 'public',
        answer: json(ProblemView),
      })
      get(): string {
        return '';
      }
    }

    it('boots with declared handlers', async () => {
      await expect(boot(Declared)).resolves.toBeUndefined();
    });
    it('refuses a handler without a declaration', async () => {
      await expect(boot(Declared, Undeclared)).rejects.toThrow('Undeclared.get declares no @Operation');
    });
    it('refuses two operations of one name', async () => {
      await expect(boot(Declared, SameName)).rejects.toThrow('two operations are named declared');
    });
  });
});
