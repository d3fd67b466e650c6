import { UUID } from '../uuid';

/** What a pod gets from the controller that made it: a checkpoint to restore, and for which request. */
export interface RestoreInstruction {
  readonly reference: string;
  /** UUID that its supervisor gets, so that the controller recognises it. */
  readonly uid: string;
  /** When it was given. Older supervisors take each newer checkpoint of this name for one of the pod. */
  readonly at: string;
  /** Restores it whatever the node lacks. */
  readonly allowIncompatible?: boolean;
}

/**
 * Names the checkpoint in the service's words, `NAMESPACE/NAME`: the service shows such pods as restored, and
 * people may set it themselves, for the newest checkpoint of that name.
 */
export const CHECKPOINT_VARIABLE = 'SVC_CHECKPOINT';

const VARIABLES = { reference: 'CCP_RESTORE_REFERENCE', uid: 'CCP_RESTORE_UID', at: 'CCP_RESTORE_AT' } as const;

/** `true`, or not there. */
const ALLOWING_VARIABLE = 'CCP_RESTORE_ALLOW_INCOMPATIBLE';

/** Variables of a container that a restore sets, and an earlier restore may have set. */
export const RESTORE_VARIABLES: readonly string[] = [
  CHECKPOINT_VARIABLE,
  ...Object.values(VARIABLES),
  ALLOWING_VARIABLE,
];

export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** @param checkpointName as the service knows it */
export const variablesFor = (instruction: RestoreInstruction, checkpointName: string): Variable[] => [
  { name: CHECKPOINT_VARIABLE, value: checkpointName },
  ...Object.entries(VARIABLES).map(([member, name]) => ({
    name,
    value: instruction[member as keyof typeof VARIABLES],
  })),
  ...(instruction.allowIncompatible === true ? [{ name: ALLOWING_VARIABLE, value: 'true' }] : []),
];

/** @returns undefined if the controller did not make this pod for a restore */
export function instructionIn(env: NodeJS.ProcessEnv): RestoreInstruction | undefined {
  const { [VARIABLES.reference]: reference, [VARIABLES.uid]: uid, [VARIABLES.at]: at } = env;
  const allowed = env[ALLOWING_VARIABLE] === 'true' ? { allowIncompatible: true } : {};
  return reference && uid !== undefined && UUID.test(uid) && at ? { reference, uid, at, ...allowed } : undefined;
}

/** The workload whose newest checkpoint a pod asks for. @returns undefined if it asks for none */
export function wantedWorkload(env: NodeJS.ProcessEnv): { namespace: string; name: string } | undefined {
  const [namespace, name, ...rest] = (env[CHECKPOINT_VARIABLE] ?? '').split('/');
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}

/**
 * Which checkpoint a start of the pod's container takes.
 * @param newest of those that the pod itself has taken: if there is one, the container was restarted
 */
export const chosenReference = (
  { reference }: RestoreInstruction,
  newest: { readonly reference: string } | undefined,
): string => newest?.reference ?? reference;
