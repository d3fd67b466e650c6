import type { Schemas, Service } from '../api/service';
import { age, bytes, NONE, text } from '../output/figures';
import type { Cell } from '../output/table';
import { state } from '../output/tones';
import { match, PROFILE, STATUS } from './filters';
import { factsOf, kind, type Column, type Details } from './kind';

type Profile = Schemas['ProfileView'];
type Artifact = Schemas['ArtifactView'];

/** Ids that people choose have no form. */
const ANY = /./;

const PROFILE_COLUMNS: readonly Column<Profile>[] = [
  { head: 'PROFILE', cell: ({ profile_id }) => profile_id },
  { head: 'MODEL', cell: ({ logical_model }) => text(logical_model) },
  { head: 'HOSTING', cell: ({ hosting_mode }) => text(hosting_mode) },
  { head: 'REPLICAS', cell: ({ min_replicas, max_replicas }) => `${min_replicas}-${max_replicas}` },
  { head: 'SCALED', cell: ({ autoscale }) => (autoscale ? 'yes' : 'no') },
  { head: 'ENABLED', cell: ({ enabled }) => (enabled === false ? { text: 'no', tone: 'bad' } : 'yes') },
  { head: 'EXACT MODEL', cell: ({ exact_model }) => text(exact_model), wide: true },
  { head: 'ADDRESS', cell: ({ backend_url }) => text(backend_url), wide: true },
];

const profiles = kind({
  name: 'profile',
  plural: 'profiles',
  about: 'inference profiles, by id',
  operation: 'list_profiles',
  path: '/v1/inference/profiles',
  filters: [match('name')],
  byName: 'name',
  columns: PROFILE_COLUMNS,
  id: ({ profile_id }) => profile_id,
  details: async (service, row, now) => profileDetails(service, row, now),
});

/** A profile with what is wanted of it, what runs of it, and what it can be restored from. */
async function profileDetails(service: Service, row: Profile, now: number): Promise<Details> {
  const path = { profile_id: row.profile_id };
  const query = path;
  const [activations, intents, progress, artifacts] = await Promise.all([
    service.send('list_activations', (api) => api.GET('/v1/inference/activations', { params: { query } })),
    service.send('list_capacity_intents', (api) => api.GET('/v1/inference/capacity-intents', { params: { query } })),
    service.send('get_profile_progress', (api) =>
      api.GET('/v1/inference/profiles/{profile_id}/progress', { params: { path } }),
    ),
    service.send('list_artifacts', (api) => api.GET('/v1/inference/artifacts', { params: { query } })),
  ]);
  const [activation, intent] = [activations[0], intents[0]];
  return {
    facts: [
      ...factsOf(PROFILE_COLUMNS, row, now),
      ['wanted', intent ? `${intent.desired_state}, ${intent.desired_replicas} replicas` : NONE],
      ['intent', intent ? state(intent.status) : NONE],
      ['phase', state(activation?.phase)],
      ['ready', activation?.ready ? { text: 'yes', tone: 'good' } : 'no'],
      ['reported', age(activation?.updated_at, now)],
      ...(activation?.message ? ([['message', activation.message]] as const) : []),
      ['last start', progress.cold_start_ms === null ? NONE : `${progress.cold_start_ms} ms`],
      ['started', text(progress.start_kind)],
    ],
    sections: [
      {
        title: 'Workers',
        head: ['WORKER', 'READY', 'STARTED', 'ADDRESS', 'MESSAGE'],
        rows: (activation?.workers ?? []).map((worker) => [
          worker.workload_uid,
          worker.ready ? { text: 'yes', tone: 'good' } : 'no',
          text(worker.start_kind),
          worker.endpoint,
          text(worker.message),
        ]),
      },
      {
        title: 'Steps of its last start',
        head: ['AFTER', 'STEP', 'AGO'],
        rows: progress.steps.map((step) => [
          step.elapsed_ms === null ? NONE : `${step.elapsed_ms} ms`,
          step.kind,
          age(step.occurred_at, now),
        ]),
      },
      {
        title: 'Artifacts',
        head: ['ARTIFACT', 'STATUS', 'TIER', 'RESTORABLE', 'BYTES', 'AGE'],
        rows: artifacts.map((artifact) => [
          artifact.artifact_id,
          state(artifact.status),
          artifact.storage_tier,
          restorable(artifact),
          bytes(artifact.physical_bytes),
          age(artifact.created_at, now),
        ]),
      },
    ],
    document: { profile: row, activation: activation ?? null, intent: intent ?? null, progress, artifacts },
  };
}

const activations = kind({
  name: 'activation',
  plural: 'activations',
  about: 'what runs of each profile, as last reported',
  operation: 'list_activations',
  path: '/v1/inference/activations',
  filters: [PROFILE],
  byId: 'profile_id',
  idForm: ANY,
  columns: [
    { head: 'PROFILE', cell: ({ profile_id }) => profile_id },
    { head: 'PHASE', cell: ({ phase }) => state(phase) },
    { head: 'READY', cell: ({ ready }) => (ready ? { text: 'yes', tone: 'good' } : 'no') },
    { head: 'WANTED', cell: ({ desired_state }) => text(desired_state) },
    { head: 'WORKERS', cell: ({ workers }) => text(workers?.length) },
    { head: 'REPORTED', cell: ({ updated_at }, now) => age(updated_at, now), passing: true },
    { head: 'ADDRESS', cell: ({ endpoint }) => text(endpoint), wide: true },
    { head: 'MESSAGE', cell: ({ message }) => text(message), wide: true },
  ],
  id: ({ profile_id }) => profile_id,
  details: async (service, row, now) => {
    const path = { profile_id: row.profile_id };
    const profile = await service.send('get_profile', (api) =>
      api.GET('/v1/inference/profiles/{profile_id}', { params: { path } }),
    );
    return profileDetails(service, profile, now);
  },
});

const intents = kind({
  name: 'intent',
  plural: 'intents',
  aliases: ['capacity-intents'],
  about: 'the newest request for capacity of each profile',
  operation: 'list_capacity_intents',
  path: '/v1/inference/capacity-intents',
  filters: [PROFILE],
  byName: 'profile_id',
  findsWholeNames: true,
  columns: [
    { head: 'PROFILE', cell: ({ profile_id }) => profile_id },
    { head: 'WANTED', cell: ({ desired_state }) => desired_state },
    { head: 'REPLICAS', cell: ({ desired_replicas }) => String(desired_replicas) },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'REQUESTED', cell: ({ requested_at }, now) => age(requested_at, now), passing: true },
    { head: 'DEADLINE', cell: ({ deadline }, now) => age(deadline, now), passing: true },
    { head: 'REASON', cell: ({ reason }) => text(reason), wide: true },
    { head: 'ID', cell: ({ id }) => id, wide: true },
  ],
  id: ({ id }) => id,
  label: ({ profile_id }) => profile_id,
});

/** Whether an artifact can be restored now; its first failed check if not. */
const restorable = ({ residency }: Artifact): Cell => state(residency?.state);

const ARTIFACT_COLUMNS: readonly Column<Artifact>[] = [
  { head: 'ARTIFACT', cell: ({ artifact_id }) => artifact_id },
  { head: 'PROFILE', cell: ({ profile_id }) => profile_id },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'TIER', cell: ({ storage_tier }) => text(storage_tier) },
  { head: 'RESTORABLE', cell: restorable },
  { head: 'BYTES', cell: ({ physical_bytes }) => bytes(physical_bytes) },
  { head: 'RESTORES', cell: ({ observed_restores }) => text(observed_restores) },
  { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  { head: 'MODE', cell: ({ checkpoint_mode }) => text(checkpoint_mode), wide: true },
  { head: 'PARENT', cell: ({ parent_artifact_id }) => text(parent_artifact_id), wide: true },
];

const artifacts = kind({
  name: 'artifact',
  plural: 'artifacts',
  about: 'what workers of profiles are restored from, newest first',
  operation: 'list_artifacts',
  path: '/v1/inference/artifacts',
  filters: [PROFILE, STATUS, { flags: '--mode <mode>', parameter: 'mode', about: 'with this checkpoint mode' }],
  byId: 'artifact_id',
  idForm: ANY,
  columns: ARTIFACT_COLUMNS,
  id: ({ artifact_id }) => artifact_id,
  details: async (service, row, now) => {
    const path = { artifact_id: row.artifact_id };
    const [artifact, chain] = await Promise.all([
      service.send('get_artifact', (api) => api.GET('/v1/inference/artifacts/{artifact_id}', { params: { path } })),
      service.send('list_artifact_ancestry', (api) =>
        api.GET('/v1/inference/artifacts/{artifact_id}/ancestry', { params: { path } }),
      ),
    ]);
    const { residency } = artifact;
    return {
      facts: [
        ...factsOf(ARTIFACT_COLUMNS, artifact, now),
        ['why', text(residency?.reason)],
        ['node', text(residency?.node_name)],
        ['node is', state(residency?.node_status)],
        ['its node reported', age(residency?.node_last_sync, now)],
        ['address', text(artifact.uri)],
        ['checksum', text(artifact.checksum)],
        ['last restored', age(artifact.last_restored_at, now)],
      ],
      sections: [
        {
          title: 'Its chain, in the order of a restore',
          head: ['ARTIFACT', 'STATUS', 'RESTORABLE', 'BYTES'],
          rows: chain.map((one) => [one.artifact_id, state(one.status), restorable(one), bytes(one.physical_bytes)]),
        },
      ],
      document: { artifact, ancestry: chain },
    };
  },
});

export const SERVING = [profiles, activations, intents, artifacts];
