import { createHash } from 'node:crypto';
import { outdate } from '../../support/instances';
import { buildType } from '../../support/marketplace';
import { put } from '../../support/plugins';
import type { Walk } from './walk';

const BYTES = Buffer.from('#!/bin/sh\n');

export async function cloud(walk: Walk): Promise<void> {
  await instances(walk);
  await plugins(walk);
}

async function instances({ recorder, service, org, market }: Walk): Promise<void> {
  const { viewer: as, operator } = org;
  market.types = [buildType()];
  await recorder.expect(200, 'get_bursting_status', { as });
  await recorder.expect(200, 'list_instance_types', { as });
  const made = await recorder.expect(200, 'create_instance', { as: operator });
  const id = (made.body as { instance_id: string }).instance_id;
  await recorder.expect(200, 'list_instances', { as });
  market.allBehave({ status: 409, body: { message: 'Out of capacity in canada-1' } });
  await recorder.expect(409, 'create_instance', { as: operator, with: { name: 'burst-1' } });
  await recorder.expect(200, 'get_instance_status', { as, path: [id] });
  market.allBehave({ status: 503, body: { message: 'busy' } });
  await outdate(service);
  for (const operation of ['list_instance_types', 'create_instance'])
    await recorder.call(operation, { as: operator, with: { name: 'burst-2' } });
  await recorder.call('get_instance_status', { as, path: [id] });
  await recorder.call('delete_instance', { as: operator, path: [id] });
  market.behavesAgain();
  await outdate(service);
  await recorder.call('delete_instance', { as: operator, path: [id] });
}

async function plugins({ recorder, org }: Walk): Promise<void> {
  const { operator, viewer: as } = org;
  const build = { version: '1.4.0', checksum: createHash('sha256').update(BYTES).digest('hex') };
  for (const name of ['main', 'install', 'install-slurm', 'gpu-plugin']) {
    const { body } = await recorder.call('upload_plugin', { as: operator, path: [name], with: build });
    for (const url of Object.values(body as Record<string, unknown>))
      if (typeof url === 'string' && url.startsWith('http')) await put(url, BYTES);
  }
  await recorder.expect(200, 'list_plugins', { as });
  await recorder.call('download_plugin_binary', { as, path: ['gpu-plugin'] });
  for (const id of ['download_main_binary', 'download_install_script', 'download_slurm_install_script'])
    await recorder.call(id, { as });
}
