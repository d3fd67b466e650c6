import type { Browser, Locator, Request } from 'playwright-core';
import { buildConsole } from '../support/built-console';
import { artifactOf, clusterWithNode, registered } from '../support/artifacts';
import { describeWith } from '../support/components';
import { newId } from '../../src/1-platform/common/ids';
import { newer } from '../support/builders';
import { eventually } from '../support/eventually';
import { createProfile, intentOf, report } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { syncJobs, slurmCluster, slurmJob } from '../support/slurm-builders';
import { askSlurmCheckpoint, putSlurmInfo, putSlurmUploaded, takeUpSlurm } from '../support/slurm-checkpoints';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, putUploaded, syncAll, takeUp } from '../support/workloads';
import { launch, Tab } from './support/browser';
import { expectAllLooks } from './support/looks';

describeWith(['Chromium'], 'what users ask the service to do in the console', () => {
  let browser: Browser;
  let service: Service;
  let org: Organisation;
  let tab: Tab;
  let admin: string;
  let profileId: string;
  let artifactId: string;

  beforeAll(async () => {
    buildConsole();
    [service, browser] = await Promise.all([Service.start(), launch()]);
    org = await service.organisation();
    const body = { name: 'admin of the tests', role: 'admin', organisation_id: org.id };
    admin = (await service.admin.post('/v1/tokens', body)).body.raw_token;
    tab = await Tab.blank(browser, service.url, { token: admin });
  });
  afterAll(async () => {
    await browser?.close();
    await service.close();
  });
  beforeEach(async () => {
    const profile = await createProfile(org, { hosting_mode: 'checkpointed' });
    profileId = profile.profile_id;
    artifactId = await registered(org, profile, { storage_tier: 'object' });
    await report(org.controller, profileId);
  });
  afterEach(() => expect(tab.faults).toEqual([]));

  const dialog = (): Locator => tab.page.getByRole('dialog');
  /** Opens the dialog of an action, changes it, and confirms it. @returns what was sent */
  const act = async (verb: string, says: string, change: () => Promise<unknown> = () => Promise.resolve()) => {
    await tab.page
      .getByRole('button', { name: `${verb} …`, exact: true })
      .first()
      .click();
    await dialog().getByText(says).first().waitFor();
    await change();
    const isAction = (request: Request) => request.method() !== 'GET' && request.url().includes('/v1/');
    const [request] = await Promise.all([
      tab.page.waitForRequest(isAction),
      dialog().getByRole('button', { name: verb, exact: true }).click(),
    ]);
    const { pathname, search } = new URL(request.url());
    return [`${request.method()} ${pathname}${search}`, request.postDataJSON() as unknown];
  };
  const close = async (): Promise<void> => {
    // Until the answer has come, the dialog stays.
    await dialog().getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'detached' });
    await tab.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  };

  it('suspends a profile, and shows the request until its controller has fulfilled it', async () => {
    await tab.goto(`/profiles/${profileId}`);
    expect(await act('Suspend', 'frees their nodes')).toEqual([
      `POST /v1/inference/profiles/${profileId}/state`,
      { desired_state: 'Suspended' },
    ]);
    await dialog().getByText('Asked', { exact: true }).waitFor();
    const intent = await intentOf(org.viewer, profileId);
    expect(intent).toMatchObject({ desired_state: 'Suspended', status: 'Pending' });
    const ended = {
      phase: 'Suspended',
      ready: false,
      desired_state: 'Suspended',
      observed_generation: intent?.generation,
    };
    await report(org.controller, profileId, ended);
    await dialog().getByText('Done', { exact: true }).waitFor();
    await close();
  });

  it('follows what becomes of a request while live updates are paused', async () => {
    await tab.goto(`/profiles/${profileId}`);
    await tab.page.getByRole('button', { name: 'Pause live updates' }).click();
    await act('Suspend', 'frees their nodes');
    await dialog().getByText('Asked', { exact: true }).waitFor();
    const intent = await intentOf(org.viewer, profileId);
    const observed_generation = intent?.generation;
    await report(org.controller, profileId, {
      phase: 'Suspended',
      ready: false,
      desired_state: 'Suspended',
      observed_generation,
    });
    await dialog().getByText('Done', { exact: true }).waitFor();
    await close();
    await tab.page.getByRole('button', { name: /Frozen at/ }).click();
  });

  it('takes an intent of before the request for no successor of it', async () => {
    await org.operator.post(`/v1/inference/profiles/${profileId}/state`, { desired_state: 'Active' });
    await tab.goto(`/profiles/${profileId}`);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const path = '**/v1/inference/capacity-intents?*';
    await tab.page.route(path, async (route) => {
      await answered;
      await route.continue().catch(() => undefined);
    });
    await act('Suspend', 'frees their nodes');
    await dialog().getByText('Asked', { exact: true }).waitFor();
    expect(await dialog().getByText('Superseded').count()).toBe(0);
    answer();
    await tab.page.unroute(path);
    await org.operator.post(`/v1/inference/profiles/${profileId}/state`, { desired_state: 'Active' });
    await dialog().getByText('Superseded', { exact: true }).waitFor();
    await close();
  });

  it('checkpoints the worker of a profile, with the choice to replace the previous checkpoint', async () => {
    await tab.goto(`/profiles/${profileId}`);
    const replace = () => dialog().getByRole('switch', { name: 'Replace the previous checkpoint' }).click();
    expect(await act('Checkpoint', 'stands still while it is saved', replace)).toEqual([
      `POST /v1/inference/profiles/${profileId}/checkpoint`,
      { reason: 'manual', replace_existing: true },
    ]);
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/inference/profiles/${profileId}/checkpoint`);
      expect(body).toMatchObject({ status: 'pending', reason: 'manual' });
    });
    await close();
  });

  it('restarts a profile from its last checkpoint', async () => {
    await tab.goto(`/profiles/${profileId}`);
    expect(await act('Restart', 'is replaced by one that is restored')).toEqual([
      `POST /v1/inference/profiles/${profileId}/restart`,
      null,
    ]);
    await close();
  });

  it('promotes an artifact to the chosen tier, and shows when it has arrived', async () => {
    await tab.goto(`/artifacts/${artifactId}`);
    expect(
      await act('Promote', 'asked to copy its bytes', () => dialog().getByText('shared', { exact: true }).click()),
    ).toEqual([`POST /v1/inference/artifacts/${artifactId}/promote`, { tier: 'shared' }]);
    await dialog().getByText('On its way to shared').waitFor();
    await org.controller.patch(`/v1/inference/artifacts/${artifactId}`, { promotion: 'confirmed' });
    await dialog().getByText('On shared', { exact: true }).waitFor();
    await close();
  });

  it('copies an artifact again whose copy is lost, from where the page shows that', async () => {
    const node = await clusterWithNode(org, 'gpu-7');
    const confirmed = { promotion: 'confirmed', node_name: node.name, node_boot_id: node.boot };
    ok(await org.operator.post(`/v1/inference/artifacts/${artifactId}/promote`, { tier: 'local' }));
    ok(await org.controller.patch(`/v1/inference/artifacts/${artifactId}`, confirmed));
    await tab.goto(`/artifacts/${artifactId}`);
    const again = tab.page.getByRole('region', { name: 'Can it be restored?' }).getByRole('button');
    await tab.page.getByText('only the copy, its original stays on the tier object').waitFor();
    expect(await again.count()).toBe(0);
    const boot = newId();
    await syncAll(org.controller, node.clusterId, [newer(node.node, { status: { nodeInfo: { bootID: boot } } })]);
    await tab.goto(`/artifacts/${artifactId}`);
    await tab.page.getByText('lost, it was on the tier local').waitFor();
    expect(await again.textContent()).toBe('Copy again …');
    await expectAllLooks(tab, 'artifact-lost-copy');
    await tab.look('light', 1280);
    expect(await act('Copy again', 'from the tier object to the tier local once more')).toEqual([
      `POST /v1/inference/artifacts/${artifactId}/promote`,
      { tier: 'local' },
    ]);
    await dialog().getByText('On its way to local').waitFor();
    ok(await org.controller.patch(`/v1/inference/artifacts/${artifactId}`, { ...confirmed, node_boot_id: boot }));
    await dialog().getByText('On local', { exact: true }).waitFor();
    await close();
    await again.waitFor({ state: 'detached' });
    expect((await artifactOf(org, artifactId)).residency).toMatchObject({ copy_lost: false, original_tier: 'object' });
  });

  it('marks an artifact as golden, and deletes it with force only', async () => {
    await tab.goto(`/artifacts/${artifactId}`);
    expect(await act('Mark', 'keeps a golden artifact for ever')).toEqual([
      `PATCH /v1/inference/artifacts/${artifactId}`,
      { status: 'golden' },
    ]);
    await dialog().getByText('It is now golden').waitFor();
    await close();
    const withForce = () => dialog().getByRole('switch', { name: 'With force' }).click();
    expect(await act('Delete', 'Nobody can take that back', withForce)).toEqual([
      `DELETE /v1/inference/artifacts/${artifactId}?force=true`,
      null,
    ]);
    await dialog().getByText('It is now deleted').waitFor();
    expect(await artifactOf(org, artifactId)).toMatchObject({ status: 'deleted' });
    await close();
    await org.controller.put(`/v1/inference/artifacts/${artifactId}/removed`);
    await tab.page.getByText('Bytes removed', { exact: true }).waitFor();
  });

  it('shows on the page what was said of an artifact, also while live updates are paused', async () => {
    await tab.goto(`/artifacts/${artifactId}`);
    await tab.page.getByRole('button', { name: 'Pause live updates' }).click();
    await act('Mark', 'keeps a golden artifact for ever');
    await dialog().getByText('It is now golden').waitFor();
    await close();
    await tab.page.getByText('golden', { exact: true }).first().waitFor();
    await act('Promote', 'asked to copy its bytes');
    await dialog().getByText('On its way to shared').waitFor();
    await org.controller.patch(`/v1/inference/artifacts/${artifactId}`, { promotion: 'confirmed' });
    await dialog().getByText('On shared', { exact: true }).waitFor();
    await close();
    await tab.page.getByText('shared', { exact: true }).first().waitFor();
    await tab.page.getByRole('button', { name: /Frozen at/ }).click();
  });

  it('creates an access token that is shown once, and revokes it', async () => {
    await tab.goto('/keys?tab=tokens');
    const name = () => dialog().getByLabel('Name').fill('night shift');
    const [sent, body] = await act('Create token', 'acts in your organisation', name);
    expect([sent, body]).toEqual([
      'POST /v1/tokens',
      { name: 'night shift', role: 'viewer', expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    const token = (await dialog().getByLabel('Command').textContent())?.trim() ?? '';
    expect((await service.as(token).get('/v1/user', { accept: 'application/json' })).body).toMatchObject({
      role: 'viewer',
    });
    await tab.page.keyboard.press('Escape');
    await tab.page.mouse.click(5, 5);
    await dialog().getByText('Copy the token now.').waitFor();
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog().waitFor({ state: 'detached' });
    expect(await tab.page.content()).not.toContain(token);
    const row = tab.page.getByRole('row').filter({ hasText: 'night shift' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const [request] = await Promise.all([
      tab.page.waitForRequest((one) => one.method() === 'DELETE'),
      dialog().getByRole('button', { name: 'Revoke' }).click(),
    ]);
    expect(new URL(request.url()).pathname).toMatch(/^\/v1\/tokens\/[0-9a-f-]{36}$/);
    await dialog().getByText('Revoked', { exact: true }).waitFor();
    expect((await service.as(token).get('/v1/user')).status).toBe(401);
    await close();
  });

  it('stays open until the answer, and repeats a request that may have been done under the same key', async () => {
    const keys: (string | undefined)[] = [];
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const path = `**/v1/inference/profiles/${profileId}/checkpoint`;
    await tab.page.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length === 3) return route.continue();
      await answered;
      return route.abort('connectionrefused');
    });
    await tab.goto(`/profiles/${profileId}`);
    await act('Checkpoint', 'stands still while it is saved');
    await tab.page.keyboard.press('Escape');
    await tab.page.mouse.click(5, 5);
    for (const name of ['Cancel', 'Close'])
      expect([name, await dialog().getByRole('button', { name, exact: true }).isDisabled()]).toEqual([name, true]);
    expect(keys).toHaveLength(1);
    answer();
    const confirm = dialog().getByRole('button', { name: 'Checkpoint', exact: true });
    const replace = dialog().getByRole('switch', { name: 'Replace the previous checkpoint' });
    await dialog().getByText('The service does not answer').waitFor();
    await replace.click();
    await confirm.click();
    await eventually(() => expect(keys).toHaveLength(2));
    await dialog().getByText('The service does not answer').waitFor();
    await replace.click();
    await confirm.click();
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/inference/profiles/${profileId}/checkpoint`);
      expect(body).toMatchObject({ status: 'pending', reason: 'manual' });
    });
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(String), keys[0]]);
    expect(keys[1]).not.toBe(keys[0]);
    await close();
    await tab.page.unroute(path);
    const isExpected = (fault: string) => fault.includes('ERR_CONNECTION_REFUSED');
    expect(tab.faults.splice(0).filter((fault) => !isExpected(fault))).toEqual([]);
  });

  it('opens a form anew each time', async () => {
    await tab.goto(`/profiles/${profileId}`);
    const replace = dialog().getByRole('switch', { name: 'Replace the previous checkpoint' });
    await act('Checkpoint', 'stands still while it is saved', () => replace.click());
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog().waitFor({ state: 'detached' });
    await tab.page.getByRole('button', { name: 'Checkpoint …', exact: true }).click();
    expect(await replace.isChecked()).toBe(false);
    await dialog().getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('asks before a key or a click beside it discards what was entered, which buttons do at once', async () => {
    await tab.goto('/keys?tab=tokens');
    const open = tab.page.getByRole('button', { name: 'Create token …' });
    const question = tab.page.getByRole('alertdialog', { name: 'Discard what you entered?' });
    const name = dialog().getByLabel('Name');
    await open.click();
    await name.waitFor();
    // There is nothing to lose yet.
    await tab.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await open.click();
    await name.fill('night shift');
    await tab.page.keyboard.press('Escape');
    await question.waitFor();
    await expectAllLooks(tab, 'discard');
    await tab.look('light', 1280);
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    // With the field in which the user was.
    await eventually(async () =>
      expect(await tab.page.evaluate<string>('document.activeElement.value')).toBe('night shift'),
    );
    await tab.page.mouse.click(5, 5);
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog().waitFor({ state: 'detached' });
    // A choice counts, too.
    await open.click();
    expect(await name.inputValue()).toBe('');
    await dialog().getByRole('combobox', { name: 'Role' }).click();
    await tab.page.getByRole('option', { name: /^Operator/ }).click();
    await tab.page.keyboard.press('Escape');
    await question.waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    // What was sent is not there to be discarded, and its secret is shown once.
    await open.click();
    await name.fill('day shift');
    await tab.page.keyboard.press('Escape');
    await question.waitFor();
    await dialog().getByRole('button', { name: 'Create token', exact: true }).click();
    await tab.page.getByLabel('Command', { exact: true }).waitFor();
    expect(await question.count()).toBe(0);
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('leaves the drawer open below a dialog that a key closes', async () => {
    const pod = await buildPod(org, await buildCluster(org), { name: 'beside' });
    await tab.goto(`/workloads?open=${pod.id}`);
    await tab.page.getByRole('button', { name: 'Checkpoint …' }).click();
    const title = tab.page.getByRole('dialog', { name: /^Checkpoint/ });
    await title.waitFor();
    await tab.page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    await tab.page.getByRole('dialog', { name: 'beside' }).waitFor();
    await tab.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(new URL(tab.page.url()).search).toBe('');
  });

  it('checkpoints a job of Slurm', async () => {
    const clusterId = await slurmCluster(org, 'hpc-9');
    await syncJobs(org.controller, clusterId, [slurmJob(77, { name: 'fold' })]);
    await tab.goto(`/workloads?tab=slurm&open=${clusterId}:77`);
    expect(await act('Checkpoint', 'stops the processes for a moment')).toEqual([
      'POST /v1/slurm/checkpoint/job',
      { cluster_id: clusterId, job_id: '77', reason: 'manual', leave_running: true },
    ]);
    await dialog().getByText('It waits for the agent').waitFor();
    // The dialog, and then the drawer of the job.
    await dialog().getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'detached' });
    await tab.page.keyboard.press('Escape');
    await eventually(async () => expect(await dialog().count()).toBe(1));
    await close();
  });

  it('finds the checkpoint of a pod behind those of pods whose names begin alike', async () => {
    const clusterId = await buildCluster(org);
    const [pod, busy] = [
      await buildPod(org, clusterId, { name: 'fold-1' }),
      await buildPod(org, clusterId, { name: 'fold-10' }),
    ];
    const checkpoint = async (podId: string): Promise<void> => {
      const id = await takeUp(org, await askCheckpoint(org, podId), { container_name: 'main' });
      ok(await putInfo(org, id, {}));
      ok(await putUploaded(org, id, `s3://checkpoints/${id}`));
    };
    await checkpoint(pod.id);
    for (let times = 0; times < 11; times++) await checkpoint(busy.id);
    await tab.goto(`/workloads?open=${pod.id}`);
    await tab.page.getByText('Newest good checkpoint').waitFor();
    const history = tab.page.getByRole('region', { name: 'History' }).getByRole('listitem');
    await eventually(async () => expect(await history.count()).toBe(1));
  });

  it('offers no restore of a job of Slurm from the checkpoint of another job with its name', async () => {
    const clusterId = await slurmCluster(org, 'hpc-8');
    await syncJobs(org.controller, clusterId, [slurmJob(81, { name: 'fold' }), slurmJob(82, { name: 'fold' })]);
    const id = await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 81));
    ok(await putSlurmInfo(org, id, {}));
    ok(await putSlurmUploaded(org, id, '/shared/81'));
    await tab.goto(`/workloads?tab=slurm&open=${clusterId}:82`);
    await tab.page.getByText('Never checkpointed').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Restore …' }).count()).toBe(0);
    await tab.goto(`/workloads?tab=slurm&open=${clusterId}:81`);
    await tab.page.getByText('Newest good checkpoint').waitFor();
    await tab.page.getByRole('button', { name: 'Restore …' }).waitFor();
  });
});
