import type { Schemas, Service } from '../../api/service';
import { CliFailure, EXIT, usage } from '../../failures';
import type { Printer } from '../../output/printer';
import type { Context, Run } from '../context';
import { wholeNumber } from '../whole-numbers';
import { unfinished, until } from '../waiting';
import { request, type RequestOptions } from './request';

interface Options extends RequestOptions {
  readonly replicas?: string;
  readonly deadline?: string;
}

type Intent = Schemas['CapacityIntentView'];

const MS_PER_SECOND = 1_000;

export const wake: Run<Options> = (context, options, [profile = '']) => setState(context, 'Active', profile, options);

export const suspend: Run<Options> = (context, options, [profile = '']) =>
  setState(context, 'Suspended', profile, options);

async function setState(
  { printer, service: connect }: Context,
  state: Intent['desired_state'],
  profileId: string,
  options: Options,
): Promise<void> {
  const { replicas, deadline, wait, idempotencyKey: key } = options;
  // How many are requested without it depends on how many are wanted at the time.
  const dependsOnTime = state === 'Active' && replicas === undefined;
  if (dependsOnTime && key !== undefined)
    throw usage(
      '--idempotency-key needs --replicas: without it, a repetition may request other replicas, which is refused.',
      'Leave the key out: "ccp wake" may be repeated, and takes no replicas away.',
    );
  const service = connect();
  const given = replicas === undefined ? undefined : wholeNumber(replicas, 'replicas', 1);
  const deadlineMs = deadline === undefined ? undefined : wholeNumber(deadline, 'deadline', 1) * MS_PER_SECOND;
  const count = state === 'Active' ? (given ?? (await replicasOf(service, printer, profileId))) : undefined;
  const body = { desired_state: state, desired_replicas: count, deadline_ms: deadlineMs };
  const path = { profile_id: profileId };
  // With the same key, a repetition could take away replicas that were requested meanwhile.
  const subject = dependsOnTime ? undefined : profileId;
  const requested = await request(service, 'set_profile_state', subject, options, (api, header) =>
    api.POST('/v1/inference/profiles/{profile_id}/state', { params: { path, header }, body }),
  );
  const intent = wait ? await untilFulfilled(service, printer, requested, options) : requested;
  if (printer.isJson) return printer.document(intent);
  printer.line(`${profileId} ${intent.desired_state} ${intent.status}`);
}

/** Those that the profile has in any case: to wake it takes none of them away. */
async function replicasOf(service: Service, printer: Printer, profileId: string): Promise<number> {
  const path = { profile_id: profileId };
  const { min_replicas: least } = await service.send('get_profile', (api) =>
    api.GET('/v1/inference/profiles/{profile_id}', { params: { path } }),
  );
  const newest = await newestIntent(service, profileId);
  const stands = newest?.desired_state === 'Active' && ['Pending', 'Fulfilled'].includes(newest.status);
  const count = Math.max(1, least, stands ? newest.desired_replicas : 0);
  if (count > 1) printer.say(`${count} replicas are requested: ${count === least ? 'its minimum' : 'as before'}.`);
  return count;
}

/** The list has the newest request of a profile. */
async function newestIntent(service: Service, profileId: string): Promise<Intent | undefined> {
  const query = { profile_id: profileId };
  const [newest] = await service.send('list_capacity_intents', (api) =>
    api.GET('/v1/inference/capacity-intents', { params: { query } }),
  );
  return newest;
}

/**
 * Waits for the end of a request, or of one that includes it. Each phase that is reported on the way goes to
 * standard error.
 */
function untilFulfilled(service: Service, printer: Printer, requested: Intent, options: Options): Promise<Intent> {
  const { profile_id: profileId, desired_state: state } = requested;
  const query = { profile_id: profileId };
  let last = '';
  return until(
    printer,
    async () => {
      const [newest, activations] = await Promise.all([
        newestIntent(service, profileId),
        service.send('list_activations', (api) => api.GET('/v1/inference/activations', { params: { query } })),
      ]);
      const activation = activations[0];
      const report = activation && `${activation.phase}${activation.ready ? ', ready' : ''}${said(activation)}`;
      if (report !== undefined && report !== last) printer.say(report);
      last = report ?? last;
      // Another one may have taken the place of this one, such as that of the autoscaler for more replicas.
      const now = newest && includes(newest, requested) ? newest : { ...requested, status: 'Superseded' };
      if (now.status === 'Pending') return undefined;
      if (now.status === 'Fulfilled') return now;
      throw new CliFailure({
        code: `intent_${now.status.toLowerCase()}`,
        message: `${profileId} is not ${state}: the request is ${now.status}${activation ? said(activation) : ''}.`,
        exit: EXIT.failed,
        remedy: `"ccp describe profile ${profileId}" shows what is wanted of it and what runs.`,
      });
    },
    {
      afterSeconds: options.timeout,
      failure: () =>
        unfinished(
          `${profileId} is not ${state} after ${options.timeout} s.`,
          `ccp get activations --profile ${profileId} --watch`,
        ),
    },
  );
}

const includes = (newest: Intent, requested: Intent): boolean =>
  newest.desired_state === requested.desired_state && newest.desired_replicas >= requested.desired_replicas;

const said = ({ message }: Schemas['ActivationView']): string => (message ? `: ${message}` : '');
