import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Access } from '../../../src/agent/controllers/kubernetes/cluster/access';
import { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { ApiUnreachable } from '../../../src/agent/controllers/kubernetes/cluster/refusals';
import { PODS } from '../../../src/agent/controllers/kubernetes/cluster/resources';
import { LeaseLeadership } from '../../../src/agent/controllers/kubernetes/lease-leadership';
import { eventually } from '../../support/eventually';
import { StubApiServer } from './stub-api-server';

const LEASE = { namespace: 'ccp', name: 'ccp-agent-stub' };

describe('the lease of a controller', () => {
  let api: StubApiServer;
  let directory: string;
  let access: Access;
  let stop: AbortController;

  beforeEach(async () => {
    api = await StubApiServer.start();
    directory = mkdtempSync(join(tmpdir(), 'lease-'));
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(api.kubeconfig));
    [access, stop] = [Access.load({ kubeconfig }), new AbortController()];
  });
  afterEach(async () => {
    stop.abort(new Error('stopped'));
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  const leadership = (renewedWithinMs?: number) =>
    new LeaseLeadership({ access, say: () => {}, lookEveryMs: 10, ...(renewedWithinMs && { renewedWithinMs }) }, LEASE);

  it('counts as lost in time although the API server accepts a renewal and does not answer', async () => {
    // Between a renewal, which begins after 3 seconds, and the end of its wait for an answer after 5.5.
    const one = leadership(5_000);
    await one.acquire(stop.signal);
    api.hanging.add('get leases');
    const held = one.hold(stop.signal);
    const lost = expect(held).rejects.toMatchObject({ facts: { message: expect.stringContaining('in time') } });
    await eventually(() => expect(api.count('get leases')).toBe(2));
    await lost;
  });

  it('is renewed over another connection when one is dead', async () => {
    const one = leadership();
    await one.acquire(stop.signal);
    api.hanging.add('get leases');
    const held = one.hold(stop.signal);
    await eventually(() => expect(api.count('get leases')).toBe(2));
    const { resourceVersion: before } = api.get('leases', LEASE.name, LEASE.namespace)!.metadata;
    api.hanging.clear();
    await eventually(() =>
      expect(api.get('leases', LEASE.name, LEASE.namespace)!.metadata.resourceVersion).not.toBe(before),
    );
    stop.abort(new Error('stopped'));
    await held.catch(() => undefined);
  });

  it('keeps a process that was stopped for a while from every change', async () => {
    const one = leadership(0.001);
    const client = new ClusterClient(access, stop.signal, { mayChange: one.requireHeld });
    await one.acquire(stop.signal);
    await expect(client.create(PODS, { metadata: { name: 'a', namespace: 'default' } })).rejects.toThrow(
      'was not renewed in time',
    );
    await expect(client.delete(PODS, { name: 'a', namespace: 'default' })).rejects.toBeInstanceOf(ApiUnreachable);
    expect(await client.get(PODS, { name: 'a', namespace: 'default' })).toBeUndefined();
    expect(api.requests.filter((one) => /^(create|delete) pods/.test(one))).toEqual([]);
  });

  it('has a number for each one that acts, one after the other', async () => {
    const [first, second] = [leadership(), leadership()];
    const term = await first.acquire(stop.signal);
    await first.release();
    const next = await second.acquire(stop.signal);
    expect(next).toEqual({ common: term.common, number: term.number + 1 });
  });
});
