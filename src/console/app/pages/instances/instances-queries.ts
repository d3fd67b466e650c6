import { queryOptions } from '@tanstack/react-query';
import type { Once } from '../../actions/once';
import { api, read, readRows, type Schemas } from '../../api/client';
import { continued, PAGE } from '../../api/continued';
import { refreshEvery } from '../../api/live';
import type { InstancesSearch } from './instances-search';

export type Instance = Schemas['InstanceView'];
export type InstanceType = Schemas['InstanceTypeView'];
export type InstanceState = Schemas['InstanceStatusView'];
export type Bursting = Schemas['BurstingStatusView'];
export type Price = Schemas['InstanceTypePriceView'];
export type Created = Schemas['CreatedInstanceView'];

/** First words of the query keys. */
export const INSTANCES = 'instances';
export const PRICES = 'instance-prices';

export const burstingQuery = queryOptions({
  queryKey: [INSTANCES, 'bursting'],
  queryFn: ({ signal }) => read(api.GET('/v1/instances/bursting-status', { signal })),
  refetchInterval: refreshEvery(),
});

export const instancesQuery = ({ name }: InstancesSearch) =>
  continued([INSTANCES, 'list', name], (offset, signal) => {
    const query = { name, limit: PAGE, offset };
    return readRows(api.GET('/v1/instances', { params: { query }, signal }));
  });

export const typesQuery = ({ gpus, gpu, order }: InstancesSearch) =>
  continued(['instance-types', gpus, gpu, order], (offset, signal) => {
    const filter = { num_gpus: gpus === undefined ? undefined : Number(gpus), gpu_type: gpu };
    const sort = order === 'dearest' ? ('-price' as const) : ('price' as const);
    return readRows(
      api.GET('/v1/instances/types', { params: { query: { ...filter, sort, limit: PAGE, offset } }, signal }),
    );
  });

/** Statuses that a machine does not leave by itself. */
const SETTLED = ['active', 'error', 'deleted'];
export const isSettled = (status: string): boolean => SETTLED.includes(status);

const OUTCOME_MS = 2_000;

export const stateQuery = (id: string) =>
  queryOptions({
    queryKey: [INSTANCES, 'state', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/instances/{instance_id}/status', { params: { path: { instance_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isSettled(state.data.status) ? false : OUTCOME_MS),
  });

export const requestInstance = (once: Once, body: Schemas['CreateInstanceBody']): Promise<Created> =>
  read(api.POST('/v1/instances', { body, params: { header: once(body) } }));

export const deleteInstance = (id: string): Promise<string> =>
  read(api.DELETE('/v1/instances/{instance_id}', { params: { path: { instance_id: id } }, parseAs: 'text' }));

/** The most that the service sends at once. There are as many rows as types of nodes. */
const MOST = 1_000;

export const pricesQuery = queryOptions({
  queryKey: [PRICES],
  queryFn: ({ signal }) =>
    readRows(api.GET('/v1/pricing/instance-types', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

/** Types of nodes that were ever reported. */
export const seenTypesQuery = queryOptions({
  queryKey: [PRICES, 'seen'],
  queryFn: ({ signal }) =>
    readRows(api.GET('/v1/pricing/instance-types/available', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

export const savePrice = (body: Schemas['SaveInstanceTypePriceBody']): Promise<Price> =>
  read(api.PUT('/v1/pricing/instance-types', { body }));

export const deletePrices = (type: string): Promise<unknown> =>
  read(
    api.DELETE('/v1/pricing/instance-types/{instance_type}', {
      params: { path: { instance_type: type } },
    }),
  );
