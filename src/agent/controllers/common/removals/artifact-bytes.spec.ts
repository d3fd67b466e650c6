import { randomUUID } from 'node:crypto';
import type { ClusterContext } from '../cluster-context';
import { ArtifactBytes, type Artifact } from './artifact-bytes';

interface Query {
  readonly limit: number;
  readonly offset: number;
}

describe('The bytes that artifacts have', () => {
  const artifactOf = (place: number, status = 'ready'): Artifact => {
    const id = `${place.toString(16).padStart(8, '0')}${randomUUID().slice(8)}`;
    return { artifact_id: id, uri: `service:${id}`, status } as Artifact;
  };
  /** @param before is called before each page of these artifacts */
  const bytesOf = (artifacts: Artifact[], before: (offset: number) => void = () => undefined): ArtifactBytes => {
    const GET = (_path: string, { params }: { params: { query: Query } }) => {
      const { offset, limit } = params.query;
      before(offset);
      return artifacts.slice(offset, offset + limit);
    };
    const send = (_name: string, call: (api: unknown) => unknown) => Promise.resolve(call({ GET }));
    return new ArtifactBytes({ service: { send } } as unknown as ClusterContext);
  };

  it('are known of more than 100,000 artifacts', async () => {
    const artifacts = Array.from({ length: 100_500 }, (_, place) => artifactOf(place, place % 2 ? 'deleted' : 'ready'));
    const used = await bytesOf(artifacts).usedIds();
    expect(used?.size).toBe(50_250);
    expect(used?.has(artifacts[100_498]!.artifact_id)).toBe(true);
  });

  it('are known if artifacts are registered meanwhile, and not if one leaves the list', async () => {
    for (const [change, isKnown] of [
      [(all: Artifact[]) => void all.unshift(artifactOf(9_999)), true],
      [(all: Artifact[]) => void all.shift(), false],
    ] as const) {
      const artifacts = Array.from({ length: 2_500 }, (_, place) => artifactOf(place));
      const last = artifacts.at(-1)!.artifact_id;
      const used = await bytesOf(artifacts, (offset) => offset === 999 && change(artifacts)).usedIds();
      expect(used?.has(last) ?? false).toBe(isKnown);
    }
  });
});
