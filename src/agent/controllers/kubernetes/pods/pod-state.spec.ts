import type { Pod } from '../cluster/resources';
import { coveredContainers } from './pod-state';

describe('the containers that a checkpoint of a pod covers', () => {
  const pod = (annotation?: string, running = ['proxy', 'trainer', 'loader']) =>
    ({
      metadata: { annotations: { ...(annotation !== undefined && { 'ccp-agent/containers': annotation }) } },
      spec: {
        containers: ['proxy', 'trainer', 'loader', 'done'].map((name) => ({ name })),
        initContainers: [{ name: 'native-sidecar', restartPolicy: 'Always' }],
      },
      status: {
        containerStatuses: running.map((name) => ({ name, state: { running: {} } })),
        initContainerStatuses: [{ name: 'native-sidecar', state: { running: {} } }],
      },
    }) as Pod;

  it.each<[string, string | undefined, string[]]>([
    ['all that run, without an annotation', undefined, ['proxy', 'trainer', 'loader']],
    ['all that run, if it is empty', ' , ', ['proxy', 'trainer', 'loader']],
    ['those of its names that run', ' loader,trainer done', ['trainer', 'loader']],
    ['all that run, if the pod does not have one of them', 'trainer,laoder', ['proxy', 'trainer', 'loader']],
    ['all that run, if one is an init container', 'trainer,native-sidecar', ['proxy', 'trainer', 'loader']],
    ['none, if none of its names runs', 'done', []],
    ['those of its names, up to 4,096 characters', 'loader'.padEnd(4_096), ['loader']],
    ['all that run, if it is longer', 'loader'.padEnd(4_097), ['proxy', 'trainer', 'loader']],
  ])('are %s', (_what, annotation, containers) => {
    expect(coveredContainers(pod(annotation))).toEqual(containers);
  });
});
