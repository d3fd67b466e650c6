import { oneOf, searchOf, someText } from '../../parts/search';

export const artifactSearch = searchOf((raw) => ({
  /** The node on which it is to be restored. */
  node: someText(raw.node),
  /** Whether the chain shows what retention would do. */
  retention: oneOf(['shown'])(raw.retention),
}));

export type ArtifactSearch = ReturnType<typeof artifactSearch>;
