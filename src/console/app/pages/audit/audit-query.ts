import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, readRows, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import { WINDOWS } from '../../parts/search';
import type { AuditSearch } from './audit-search';

export type AuditEntry = Schemas['AuditEntryView'];

const PAGE = 100;

/** Only the first page is read again: further ones have offsets, which new entries would move. */
export const auditQuery = ({ window, actor, resource }: AuditSearch, isAllowed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['audit', window, actor, resource],
    queryFn: ({ pageParam: offset, signal }) => {
      const since = window && new Date(now() - WINDOWS[window] * 1_000).toISOString();
      const query = { since, actor, resource, limit: PAGE, offset };
      return readRows(api.GET('/v1/audit', { params: { query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next?.offset === undefined ? undefined : Number(next.offset)),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? refreshEvery()() : false),
    enabled: isAllowed,
  });
