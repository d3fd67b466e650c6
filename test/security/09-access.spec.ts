import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AccessDeclarations } from '../../src/1-platform/endpoints/access-declarations';
import { json, Operation, text } from '../../src/1-platform/endpoints/operation.decorator';
import { ProblemView } from '../../src/1-platform/common/answers/problem.dto';
import { newId } from '../../src/1-platform/common/ids';
import { operations, type DescribedOperation } from '../support/description';
import { printFigures, recordFigure } from '../support/figures';
import { Service, type Caller, type Organisation } from '../support/service';

/**
 * Who may call what, written by hand from the API's rules and independent of the code. Operations outside
 * these lists follow two plain rules: a GET is a read (every role), anything else needs the role operator.
 */
const ADMIN = ['list_organisations', 'create_organisation', 'list_tokens', 'create_token', 'revoke_token'];

/** Only admins with platform scope may call these. */
const PLATFORM = ['create_organisation'];

/** The audit trail shows what other people did: a GET, but not for viewers and controllers. */
const OPERATORS_READ = ['list_audit_entries'];

/** Manifests, refusals that quote them, and images of memory may hold secrets: a GET, but not for viewers. */
const MACHINES_READ = ['list_workloads', 'get_workload', 'get_file_url'];

/** Only controllers of clusters may call these; operators and viewers are refused. */
const CONTROLLER = [
  'report_activation',
  'report_checkpoint_progress',
  'confirm_artifact_removal',
  'confirm_checkpoint_removal',
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
  // Restore events, and the profile of a restore.
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
  // Files of checkpoints.
  'create_file_url',
  'delete_file',
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
  // The status of an artifact: each role may set some of its values.
  'update_artifact',
  // Set state, and requests for checkpoints and restarts.
  'set_profile_state',
  'checkpoint_pod',
  'checkpoint_slurm_job',
  'request_profile_checkpoint',
  'restart_profile',
];

/** Called by people and installers before they have a token. */
const PUBLIC = [
  'get_sign_in',
  'download_main_binary',
  'download_install_script',
  'download_slurm_install_script',
  'list_plugins',
  'download_plugin_binary',
];

/** Queries that use POST because they need a body; they change nothing. */
const ASKED_BY_POST = ['simulate_route', 'lookup_artifacts', 'preview_retention', 'preview_pipeline_policy'];

const ROLES = ['admin', 'operator', 'viewer', 'controller'] as const;

/**
 * What an inference key may call, and who else may: a router forwards the key of its caller, a chat costs
 * money, and everybody may list the models. A key may call nothing else.
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

describe('the access to an operation', () => {
  it('is declared by every operation, and each has its own name', () => {
    expect(described.length).toBeGreaterThan(50);
    for (const { id, path, roles } of described) expect([id, path, Array.isArray(roles)]).toEqual([id, path, true]);
    const ids = described.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(named(described))('the access to an operation of %s is declared as the rules say', (_id, operation) => {
    expect([...operation.roles].sort()).toEqual(rolesByHand(operation).sort());
    expect(operation.scope).toBe(PLATFORM.includes(operation.id) ? 'platform' : undefined);
  });

  describe('is enforced', () => {
    let service: Service;
    let org: Organisation;
    let key: Caller;
    let enforced = 0;

    beforeAll(async () => {
      service = await Service.start();
      org = await service.organisation();
      key = service.as((await org.operator.post('/v1/inference/keys', { name: 'key' })).body.raw_key as string);
    });
    afterAll(async () => {
      await service.close();
      printFigures();
    });

    /** The smallest request that reaches the operation: an id of nothing, and an empty body. */
    const call = (caller: Caller, { method, path, parameters, requestBody }: DescribedOperation) => {
      const filled = path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
        const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema;
        return schema?.type === 'integer' ? '0' : newId();
      });
      return caller.send(method, filled, requestBody ? {} : undefined, {});
    };

    it.each(named(described))('is enforced for %s', async (id, operation) => {
      const nobody = await call(service.as(undefined), operation);
      if (operation.roles.length === 0 && PUBLIC.includes(id)) expect(nobody.status).not.toBe(401);
      else expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthenticated']);

      for (const role of [...ROLES, 'key'] as const) {
        const { status, body } = await call(role === 'key' ? key : org[role], operation);
        const allowed = operation.roles.length === 0 || (operation.roles.includes(role) && !PLATFORM.includes(id));
        if (!allowed) expect([role, status, body.code]).toEqual([role, 403, 'forbidden']);
        // A refusal with another code comes from behind the guard.
        else
          expect([role, [401, 500].includes(status) || body.code === 'forbidden' ? status : 'let in']).toEqual([
            role,
            'let in',
          ]);
      }
      if (PLATFORM.includes(id)) expect([401, 403, 500]).not.toContain((await call(service.admin, operation)).status);
      enforced++;
    });

    it('was tried for all of them', () => {
      const attack = 'operations called without a bearer, with each of four roles and with an inference key';
      const bound = { atLeast: described.length };
      recordFigure({ row: 9, attack, measure: 'as declared', value: enforced, unit: '', bound });
    });

    it.each(['/livez', '/readyz', '/metrics', '/v1/openapi.json', '/docs'])('needs no bearer for %s', async (path) => {
      expect((await service.as(undefined).get(path)).status).toBe(200);
    });

    it('is refused to a malformed bearer', async () => {
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
      // The scheme is case-insensitive (RFC 9110, section 11.1).
      expect((await service.as(undefined).get('/v1/user', { authorization: `bearer ${token}` })).status).toBe(200);
    });
  });

  describe('must be declared: the service', () => {
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

    it('starts with declared handlers', async () => {
      await expect(boot(Declared)).resolves.toBeUndefined();
    });
    it('does not start with an undeclared handler', async () => {
      await expect(boot(Declared, Undeclared)).rejects.toThrow('Undeclared.get declares no @Operation');
    });
    it('does not start with two operations of one name', async () => {
      await expect(boot(Declared, SameName)).rejects.toThrow('two operations are named declared');
    });
  });
});
