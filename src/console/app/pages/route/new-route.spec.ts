import { execFileSync } from 'node:child_process';
import { newRouteCommand } from './new-route';

describe('the command that makes a route', () => {
  it('sends the name of the model, and runs nothing of it', () => {
    const model = `llama'; touch /tmp/owned; echo '$(id)`;
    const script = newRouteCommand('http://127.0.0.1:1', model).replace(/^curl/, 'printf "%s\\0"');
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
    expect(words.slice(0, 3)).toEqual(['-X', 'POST', 'http://127.0.0.1:1/v1/inference/routes']);
    expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({ logical_model: model });
    expect(words).toHaveLength(9);
  });
});
