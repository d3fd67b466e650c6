import type { Client } from '../support/fleet/client';
import { seconds } from './startup';

interface Row {
  readonly profile: string;
  readonly wanted: string;
  readonly phase: string;
  readonly ready: string;
  readonly start: string;
  readonly artifacts: string;
  readonly last: string;
}

const HEADING: Row = {
  profile: 'profile',
  wanted: 'wanted',
  phase: 'phase',
  ready: 'ready',
  start: 'start',
  artifacts: 'restorable',
  last: 'last start',
};

/** The columns of the table. */
export const LEGEND = `wanted      state, replicas and status of the capacity intent
phase       of the worker, as its controller reports it
start       how the worker started: cold, or restored from a checkpoint artifact
restorable  checkpoint artifacts that can be restored now, of all
last start  seconds until the last worker was ready`;

/** The service's figures for each profile, one line each. */
export async function tableOf(viewer: Client, profileIds: readonly string[]): Promise<string> {
  const list = async <Item>(path: string) => (await viewer.get<Item[]>(`/v1/inference/${path}?limit=1000`)).body;
  const intents = await list<{ profile_id: string; desired_state: string; desired_replicas: number; status: string }>(
    'capacity-intents',
  );
  const artifacts = await list<{ profile_id: string; residency: { state: string } }>('artifacts');
  const rows = [HEADING];
  for (const id of profileIds) {
    const { body: progress } = await viewer.get<{
      phase: string | null;
      ready: boolean;
      start_kind: string | null;
      cold_start_ms: number | null;
    }>(`/v1/inference/profiles/${id}/progress`);
    const intent = intents.find(({ profile_id }) => profile_id === id);
    const own = artifacts.filter(({ profile_id }) => profile_id === id);
    const restorable = own.filter(({ residency }) => residency.state === 'restorable');
    rows.push({
      profile: id,
      wanted: intent ? `${intent.desired_state} ${intent.desired_replicas} ${intent.status}` : '-',
      phase: progress.phase ?? '-',
      ready: progress.ready ? 'yes' : '-',
      start: progress.start_kind ?? '-',
      artifacts: `${restorable.length}/${own.length}`,
      last: progress.cold_start_ms === null ? '-' : seconds(progress.cold_start_ms),
    });
  }
  return aligned(rows);
}

function aligned(rows: readonly Row[]): string {
  const columns = Object.keys(HEADING) as (keyof Row)[];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => columns.map((column, index) => row[column].padEnd(widths[index] ?? 0)).join('  '))
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}
