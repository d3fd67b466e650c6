import { ownEnvironment } from './own-environment';

describe('the environment of what the agent starts', () => {
  it("has no setting of this project's npm", () => {
    const byNpm = { HOME: '/root', npm_lifecycle_event: 'agent' };
    expect(ownEnvironment({ ...byNpm, npm_config_ignore_scripts: 'true' })).toEqual(byNpm);
  });

  it('keeps the settings of whoever starts the agent', () => {
    const own = { HOME: '/root', npm_config_ignore_scripts: 'true' };
    expect(ownEnvironment(own)).toEqual(own);
  });
});
