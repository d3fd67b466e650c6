import type { Schemas, Service } from '../../api/service';
import { CliFailure, EXIT } from '../../failures';
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
  const service = connect();
  const { replicas, deadline, wait } = options;
  const body = {
    desired_state: state,
    ...(replicas === undefined ? {} : { desired_replicas: wholeNumber(replicas, 'replicas', 1) }),
    ...(deadline === undefined ? {} : { deadline_ms: wholeNumber(deadline, 'deadline', 1) * MS_PER_SECOND }),
  };
  const path = { profile_id: profileId };
  const requested = await request(service, 'set_profile_state', profileId, options, (api, header) =>
    api.POST('/v1/inference/profiles/{profile_id}/state', { params: { path, header }, body }),
  );
  const intent = wait ? await untilFulfilled(service, printer, requested, options) : requested;
  if (printer.isJson) return printer.document(intent);
  printer.line(`${profileId} ${intent.desired_state} ${intent.status}`);
}

/** Waits for the end of a request. Each phase that is reported on the way goes to standard error. */
function untilFulfilled(service: Service, printer: Printer, requested: Intent, options: Options): Promise<Intent> {
  const { id, profile_id: profileId, desired_state: state } = requested;
  const query = { profile_id: profileId };
  let last = '';
  return until(
    printer,
    async () => {
      const [intents, activations] = await Promise.all([
        service.send('list_capacity_intents', (api) =>
          api.GET('/v1/inference/capacity-intents', { params: { query } }),
        ),
        service.send('list_activations', (api) => api.GET('/v1/inference/activations', { params: { query } })),
      ]);
      const activation = activations[0];
      const report = activation && `${activation.phase}${activation.ready ? ', ready' : ''}${said(activation)}`;
      if (report !== undefined && report !== last) printer.say(report);
      last = report ?? last;
      // The list has the newest request of a profile: another one took the place of this one.
      const now = intents.find((intent) => intent.id === id) ?? { ...requested, status: 'Superseded' };
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

const said = ({ message }: Schemas['ActivationView']): string => (message ? `: ${message}` : '');
