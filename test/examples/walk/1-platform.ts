import type { Walk } from './walk';

export async function platform({ recorder, org, platform: admin, ids }: Walk): Promise<void> {
  await recorder.expect(201, 'create_organisation', { as: admin, body: { name: 'acme-research' } });
  await recorder.expect(409, 'create_organisation', { as: admin, body: { name: 'acme-research' } });
  await recorder.expect(200, 'list_organisations', { as: org.admin });
  const token = await recorder.expect(201, 'create_token', { as: org.admin });
  await recorder.expect(200, 'list_tokens', { as: org.admin });
  const issued = await recorder.expect(201, 'create_token', {
    as: admin,
    body: { name: 'root', role: 'admin', scope: 'platform', organisation_id: org.id },
  });
  await recorder.expect(403, 'create_token', {
    as: org.admin,
    body: { name: 'root', role: 'admin', scope: 'platform' },
  });
  await recorder.expect(403, 'revoke_token', { as: org.admin, path: [issued.body.token_id as string] });
  await recorder.expect(204, 'revoke_token', { as: org.admin, path: [token.body.token_id as string] });
  await recorder.expect(200, 'get_user', { as: org.operator });
  await recorder.expect(200, 'get_sign_in', { as: org.viewer });
  ids.token = token.body.token_id as string;
}

/** At the end, when there is something to see. */
export async function platformAfterwards({ recorder, org }: Walk): Promise<void> {
  await recorder.expect(200, 'list_audit_entries', { as: org.admin, query: { limit: '2' } });
  const events = await recorder.expect(200, 'list_outbox_events', {
    as: org.controller,
    query: { consumer_id: 'controller-eu-gpu-1', limit: '2' },
  });
  const newest = (events.body as { id: number }[]).at(-1)?.id ?? 0;
  const body = { consumer_id: 'controller-eu-gpu-1', event_id: newest };
  await recorder.expect(204, 'ack_outbox', { as: org.controller, body });
  await recorder.expect(200, 'list_outbox_consumers', { as: org.viewer });
  await recorder.expect(410, 'list_outbox_events', {
    as: org.controller,
    query: { consumer_id: 'controller-eu-gpu-1', after: '999999999' },
  });
  await recorder.expect(404, 'ack_outbox', { as: org.controller, body: { ...body, consumer_id: 'nobody' } });
}
