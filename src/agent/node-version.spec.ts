import { nodeFault } from './node-version';

describe('The version of Node', () => {
  it.each(['22.15.0', '22.16.1', '24.0.0', process.versions.node])('%s is new enough', (version) => {
    expect(nodeFault(version)).toBeUndefined();
  });

  it.each(['18.20.0', '20.19.4', '22.14.0'])('%s is refused in words, with the remedy', (version) => {
    expect(nodeFault(version)).toMatch(
      new RegExp(`^This is Node ${version}, and the agent needs 22\\.15 .*npm run agent`),
    );
  });
});
