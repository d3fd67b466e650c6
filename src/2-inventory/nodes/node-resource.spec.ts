import { buildNode } from '../../../test/support/builders';
import { describeWithSamples, sample } from '../../../test/support/samples';
import { parseJson } from '../../1-platform/common/json/json';
import { readNode, type NodeColumns } from './node-resource';

type Read = Partial<Omit<NodeColumns, 'object' | 'labels'>>;

describeWithSamples('readNode, on real nodes', () => {
  it.each<[string, Read]>([
    [
      'node-eks-karpenter-p4d-spot',
      {
        name: 'ip-10-0-5-152.ap-northeast-2.compute.internal',
        status: 'Ready',
        compute_type: 'gpu',
        instance_type: 'p4d.24xlarge',
        region: 'ap-northeast-2',
        capacity_type: 'spot',
        boot_id: 'ab8e96c3-b4b3-445a-b258-ab9833e179eb',
        gpu_model: 'a100',
      },
    ],
    [
      'node-eks-karpenter-g6-ondemand',
      {
        name: 'ip-10-0-13-72.ec2.internal',
        status: 'Ready',
        compute_type: 'gpu',
        instance_type: 'g6.xlarge',
        region: 'us-east-1',
        capacity_type: 'on-demand',
        boot_id: '022e82cd-fdaf-4bfb-b6ec-d42fd3276aaf',
        gpu_model: 'l4',
      },
    ],
    [
      'node-eks-managed-nodegroup',
      {
        name: 'ip-172-31-40-111.us-east-2.compute.internal',
        status: 'Ready',
        compute_type: 'cpu',
        instance_type: 't3.medium',
        region: 'us-east-2',
        capacity_type: 'on-demand',
        boot_id: '490eb300-a8b1-4c5a-a0a3-2d243837b65c',
        gpu_model: '',
      },
    ],
    [
      // The label says accelerator=nvidia only, without a model.
      'node-aks-v100',
      {
        name: 'aks-gpunp-10282168-vmss000000',
        status: 'Ready',
        compute_type: 'gpu',
        instance_type: 'Standard_NC6s_v3',
        region: 'eastus',
        capacity_type: 'on-demand',
        boot_id: 'ef9c0bf4-4f11-4b21-8184-90823390f8c1',
        gpu_model: '',
      },
    ],
    [
      // No status at all: all values come from the labels.
      'node-gke-l4-preemptible-partial',
      {
        name: 'gke-tpu-gpu-fungibility-l4-spot-55a0278b-qdj6',
        status: 'Unknown',
        compute_type: 'gpu',
        instance_type: 'g2-standard-4',
        region: 'asia-northeast1',
        capacity_type: 'spot',
        boot_id: '',
        gpu_model: 'nvidia-l4',
      },
    ],
    [
      // No cloud labelled this machine.
      'node-ec2-g4dn-gpu-operator',
      {
        name: 'ip-172-31-21-92',
        uid: 'aed93ed6-f460-4578-a7b0-574574237a0a',
        resource_version: '36620',
        status: 'Ready',
        compute_type: 'gpu',
        instance_type: '',
        region: '',
        capacity_type: '',
        boot_id: 'b20715e0-443d-4368-9b23-10a8882c9896',
        gpu_model: 'Tesla-T4',
      },
    ],
    [
      'node-hollow-empty-bootid',
      {
        name: 'gpu-node-1',
        uid: 'e4f9b4b5-0338-43f5-878c-5fd4debdd165',
        resource_version: '292',
        status: 'Ready',
        compute_type: 'gpu',
        instance_type: 'g5.12xlarge',
        region: '',
        capacity_type: '',
        boot_id: '',
        gpu_model: '',
      },
    ],
  ])('reads %s', (file, expected) => {
    const object = sample(`k8s/${file}.json`);
    const read = readNode(object);
    expect(read).toMatchObject({ ...expected, deleted: false });
    expect(read.labels).toEqual(object.metadata.labels);
  });

  it('reads the node of minikube', () => {
    const [node] = sample('k8s/list-nodes-minikube-1.35.json').items.map(readNode);
    expect(node).toMatchObject({
      name: 'datagen-1-35',
      status: 'Ready',
      compute_type: 'cpu',
      instance_type: '',
      region: '',
      capacity_type: '',
      boot_id: '3f08706e-fbd4-4afe-ab2e-cb273a74d98b',
    });
  });

  it('reads the six nodes of OpenShift, whose boot ids all differ', () => {
    const nodes: NodeColumns[] = sample('k8s/list-nodes-openshift-aws.json').items.map(readNode);
    expect(nodes).toHaveLength(6);
    for (const node of nodes)
      expect(node).toMatchObject({
        status: 'Ready',
        compute_type: 'cpu',
        instance_type: 'm4.xlarge',
        region: 'us-west-1',
        // Amazon's nodes have no such label unless a provisioner adds it.
        capacity_type: '',
      });
    expect(new Set(nodes.map(({ boot_id: boot }) => boot)).size).toBe(6);
    expect(nodes[0]?.boot_id).toBe('21215752-5149-409e-8824-7ceb34a008a7');
  });
});

describe('readNode', () => {
  const labelled = (labels: object, spec: Record<string, unknown> = {}) =>
    readNode({ metadata: { name: 'n', labels }, spec }).capacity_type;

  it.each([
    [{ 'karpenter.sh/capacity-type': 'reserved' }, 'reserved'],
    [{ 'eks.amazonaws.com/capacityType': 'SPOT' }, 'spot'],
    [{ 'eks.amazonaws.com/capacityType': 'CAPACITY_BLOCK' }, 'capacity-block'],
    [{ 'node.kubernetes.io/lifecycle': 'normal' }, 'on-demand'],
    [{ 'node.kubernetes.io/lifecycle': 'OnDemand' }, 'on-demand'],
    [{ 'node.kubernetes.io/lifecycle': 'Ec2Spot' }, 'spot'],
    [{ 'cloud.google.com/gke-spot': 'true' }, 'spot'],
    [{ 'kubernetes.azure.com/scalesetpriority': 'spot' }, 'spot'],
    [{ 'cloud.google.com/gke-spot': 'false' }, ''],
  ])('reads %p as %p', (labels, expected) => expect(labelled(labels)).toBe(expected));

  it('treats a Google or Azure machine without the mark as on-demand, and others as unknown', () => {
    expect(labelled({}, { providerID: 'gce://project/zone/name' })).toBe('on-demand');
    expect(labelled({}, { providerID: 'azure:///subscriptions/x' })).toBe('on-demand');
    expect(labelled({}, { providerID: 'aws:///us-west-1b/i-0' })).toBe('');
  });

  it.each([
    ['True', 'Ready'],
    ['False', 'NotReady'],
    ['Unknown', 'Unknown'],
  ])('shows a node whose condition Ready is %s as %s', (status, expected) =>
    expect(readNode(buildNode('n', { status: { conditions: [{ type: 'Ready', status }] } })).status).toBe(expected),
  );

  it.each([
    [{ 'nvidia.com/gpu': '8' }, 'gpu'],
    [{ 'nvidia.com/mig-1g.10gb': '7' }, 'gpu'],
    [{ 'amd.com/gpu': '1' }, 'gpu'],
    [{ 'gpu.intel.com/i915': '1' }, 'gpu'],
    [{ 'nvidia.com/gpu': '0' }, 'cpu'],
    [{ 'nvidia.com/gpu': 0 }, 'cpu'],
    [{ 'nvidia.com/gpu': parseJson('1e999') }, 'gpu'],
    [{ 'example.com/gpu': '1' }, 'cpu'],
  ])('reads capacity %p as %s', (capacity, expected) =>
    expect(readNode(buildNode('n', { status: { capacity } })).compute_type).toBe(expected),
  );

  it('reads the older names of labels if the newer ones are missing', () => {
    const labels = {
      'beta.kubernetes.io/instance-type': 'm4.large',
      'failure-domain.beta.kubernetes.io/region': 'us-west-1',
    };
    expect(readNode({ metadata: { name: 'n', labels } })).toMatchObject({
      instance_type: 'm4.large',
      region: 'us-west-1',
    });
    const both = { ...labels, 'node.kubernetes.io/instance-type': 'm5.large' };
    expect(readNode({ metadata: { name: 'n', labels: both } }).instance_type).toBe('m5.large');
  });

  it('keeps a draining node until no finalizer holds it', () => {
    const deletion = { deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: ['karpenter.sh/termination'] };
    expect(readNode(buildNode('n', { metadata: deletion })).deleted).toBe(false);
    expect(readNode(buildNode('n', { metadata: { ...deletion, finalizers: [] } })).deleted).toBe(true);
  });
});
