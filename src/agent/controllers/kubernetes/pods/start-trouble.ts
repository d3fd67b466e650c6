import type { FailureFacts } from '../../../failures';
import type { Pod } from '../cluster/resources';
import { isUnprepared, stuckContainer, whyItWaits, type ContainerStatus } from './why-it-waits';

/** States of a container that do not pass by themselves, but for a moment. */
const HOPELESS = ['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError'];
const HOPELESS_AFTER_MS = 60_000;
/** Others may pass: a registry comes back, a volume, or what an init container needs. */
const GIVEN_UP_AFTER_MS = 1_800_000;
const MS_PER_MINUTE = 60_000;

/** Since when a pod does not start for a reason that somebody has to mend. */
export class StartTrouble {
  private hopelessSince: number | undefined;
  private stuckSince: number | undefined;

  /**
   * @param isWanted whether what its containers are for has not begun: then all that keeps it waiting counts
   * @returns why it is not waited for any longer
   */
  failureOf(pod: Pod, isWanted: boolean): FailureFacts | undefined {
    const now = performance.now();
    const hopeless = allOf(pod).find(({ state }) => HOPELESS.includes(state?.waiting?.reason ?? ''));
    this.hopelessSince = hopeless && (this.hopelessSince ?? now);
    const stuck = stuckContainer(pod) ?? failedInit(pod);
    const isStuck = stuck !== undefined || isUnprepared(pod);
    const isTried = isStuck || triedInit(pod) !== undefined;
    this.stuckSince = isTried && isWanted ? (this.stuckSince ?? now) : undefined;
    if (hopeless && now - this.hopelessSince! > HOPELESS_AFTER_MS) return factsOf(pod, hopeless, HOPELESS_AFTER_MS);
    if (isStuck && this.stuckSince !== undefined && now - this.stuckSince > GIVEN_UP_AFTER_MS)
      return factsOf(pod, stuck, GIVEN_UP_AFTER_MS);
    return undefined;
  }
}

const allOf = ({ status = {} }: Pod): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];

/** Those that must end before the containers of the pod start: the others stay beside these. */
const initContainers = ({ spec, status = {} }: Pod): ContainerStatus[] =>
  (status.initContainerStatuses ?? []).filter(
    ({ name }) => spec?.initContainers?.find((one) => one.name === name)?.restartPolicy !== 'Always',
  );

const failedInit = (pod: Pod): ContainerStatus | undefined =>
  initContainers(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);

/** One that runs once more after a failure may end well this time. */
const triedInit = (pod: Pod): ContainerStatus | undefined =>
  initContainers(pod).find(({ state, restartCount }) => state?.running && restartCount > 0);

/** @param stuck the container to blame, if it is one */
function factsOf(pod: Pod, stuck: ContainerStatus | undefined, afterMs: number): FailureFacts {
  const { name, state, lastState } = stuck ?? {};
  const { exitCode } = state?.terminated ?? lastState?.terminated ?? {};
  const ended = exitCode === undefined ? '' : ` Its container ${name} ended with the exit code ${exitCode}.`;
  const time = afterMs === MS_PER_MINUTE ? 'a minute' : `${afterMs / MS_PER_MINUTE} minutes`;
  return { cause: 'scheduler_refused', message: `${whyItWaits(pod)}${ended} That has been so for ${time}.` };
}
