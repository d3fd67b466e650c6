import { queryOptions } from '@tanstack/react-query';
import type { Once } from '../../actions/once';
import { api, read, readRows, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import type { Policy } from './policy-words';
import type { PoliciesSearch } from './policies-search';

export type Schedule = Schemas['PolicyScheduleView'];
export type Scheduled = Schemas['ScheduledPolicyView'];
export type Firings = Schemas['PolicyFiringsView'];
export type NextFiring = Schemas['NextFiringView'];
export type SlurmWindow = Schemas['WindowView'];
export type Automatic = Schemas['AutoRestorePolicyView'];
export type Preview = Schemas['PolicyPreviewView'];
export type CreateBody = Schemas['CreatePolicyBody'];
export type PreviewBody = Schemas['PreviewPolicyBody'];

/** Most policies that a calendar adds up; it says how many there are. */
const DRAWN = 50;
const SCHEDULE_MS = 30_000;

export interface Span {
  /** Milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
}

const inWords = ({ from, until }: Span) => ({
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
});

/** Nothing more will fire in a week that is over. */
const whileItLasts =
  ({ until }: Span) =>
  (): number | false =>
    until > now() && refreshEvery(SCHEDULE_MS)();

export const scheduleQuery = (span: Span) =>
  queryOptions({
    queryKey: ['policies', 'schedule', span.from, span.until],
    queryFn: ({ signal }) => {
      const query = { ...inWords(span), limit: DRAWN };
      return read(api.GET('/v1/policy/schedule', { params: { query }, signal }));
    },
    refetchInterval: whileItLasts(span),
  });

/** Most windows that a calendar shows. */
export const WINDOWS = 100;

/** Reservations of Slurm, and windows that people entered. */
export const windowsQuery = (span: Span) =>
  queryOptions({
    // The first word is that of the windows on the page of Slurm: what is changed there is stale here.
    queryKey: ['slurm-windows', 'calendar', span.from, span.until],
    queryFn: ({ signal }) => {
      const { from, until } = inWords(span);
      const query = { ends_after: from, starts_before: until, limit: WINDOWS };
      return readRows(api.GET('/v1/slurm/maintenance_window', { params: { query }, signal }));
    },
    refetchInterval: whileItLasts(span),
  });

export const loadPolicies =
  ({ status, resource, name }: PoliciesSearch) =>
  async (offset: number, limit: number, signal: AbortSignal): Promise<{ rows: Policy[]; total: number }> => {
    const query = { status, resource, name, offset, limit };
    const page = await read(api.GET('/v1/policy/pipeline/list', { params: { query }, signal }));
    return { rows: page.policies, total: page.total_count };
  };

export const automaticQuery = ({ status, resource }: PoliciesSearch) =>
  queryOptions({
    queryKey: ['policies', 'automatic', status, resource],
    queryFn: async ({ signal }) => {
      const query = { status, resource, include_automatic: true, limit: 1 };
      const page = await read(api.GET('/v1/policy/list', { params: { query }, signal }));
      return page.automatic_policies ?? [];
    },
    refetchInterval: refreshEvery(),
  });

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'one', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/policy/pipeline/{policy_id}', { params: { path: { policy_id: id } }, signal })),
    refetchInterval: refreshEvery(),
  });

export const activityQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'activity', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/policy/{policy_id}/activity', { params: { path: { policy_id: id } }, signal })),
    refetchInterval: refreshEvery(),
  });

/** Pods that a drawer lists; the counts are of all. */
export const LISTED = 100;

export const podsQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'pods', id],
    queryFn: ({ signal }) => {
      const params = { path: { policy_id: id }, query: { limit: LISTED } };
      return readRows(api.GET('/v1/policy/{policy_id}/pods', { params, signal }));
    },
    refetchInterval: refreshEvery(),
  });

export const jobsQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'jobs', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/policy/{policy_id}/jobs', { params: { path: { policy_id: id } }, signal })),
    refetchInterval: refreshEvery(),
  });

export const previewQuery = (body: PreviewBody | undefined) =>
  queryOptions({
    queryKey: ['policies', 'preview', body],
    queryFn: ({ signal }) => read(api.POST('/v1/policy/pipeline/preview', { body: body ?? NO_BODY, signal })),
    enabled: body !== undefined,
    // What matches now is asked for again whenever the form is shown.
    staleTime: 0,
    // What was refused once is refused again.
    refetchInterval: ({ state }) => state.status !== 'error' && refreshEvery()(),
  });

/** A query without a body is not enabled. */
const NO_BODY = {} as PreviewBody;

/** Pods of a cluster, with the namespaces of all of them: what a form suggests. */
export const suggestedQuery = (clusterId: string | undefined, podName: string) =>
  queryOptions({
    queryKey: ['Pods', 'suggested', clusterId, podName],
    queryFn: ({ signal }) => {
      const query = { cluster_id: clusterId, pod_name: podName || undefined, limit: 50 };
      return read(api.GET('/v1/pods/paginated', { params: { query }, signal }));
    },
    enabled: clusterId !== undefined,
    // Names of another cluster would be wrong.
    placeholderData: (before, query) => (query?.queryKey[2] === clusterId ? before : undefined),
  });

/** @returns the id of the policy */
export const createPolicy = (once: Once, body: CreateBody): Promise<string> =>
  read(api.POST('/v1/policy/pipeline/create', { body, params: { header: once(body) }, parseAs: 'text' }));

export type PolicyChange = Schemas['UpdatePolicyBody'];

export const changePolicy = (once: Once, id: string, body: PolicyChange): Promise<Policy> =>
  read(
    api.PATCH('/v1/policy/pipeline/{policy_id}', {
      body,
      params: { path: { policy_id: id }, header: once(body) },
    }),
  );

export const deletePolicy = (id: string): Promise<string> =>
  read(api.DELETE('/v1/policy/delete', { body: { id }, parseAs: 'text' }));
