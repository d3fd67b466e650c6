import { endpointUrl } from './endpoint-url';

describe('the chat URL of a worker', () => {
  it.each([
    ['http://worker:8000', 'http://worker:8000/v1/chat/completions'],
    ['http://worker:8000/', 'http://worker:8000/v1/chat/completions'],
    ['http://worker:8000/v1', 'http://worker:8000/v1/chat/completions'],
    ['http://worker:8000/v1/', 'http://worker:8000/v1/chat/completions'],
    ['http://worker:8000/v1//', 'http://worker:8000/v1/chat/completions'],
    ['https://gateway/models/a', 'https://gateway/models/a/v1/chat/completions'],
    ['https://gateway/models/a/v1', 'https://gateway/models/a/v1/chat/completions'],
    ['https://gateway/notv1', 'https://gateway/notv1/v1/chat/completions'],
    ['http://[fd00::7]:8000/v1', 'http://[fd00::7]:8000/v1/chat/completions'],
    ['http://worker:8000/v1?tenant=a', 'http://worker:8000/v1/chat/completions?tenant=a'],
  ])('sends chats of a worker at %s to %s', (base, url) => {
    expect(endpointUrl(base, 'chat')).toBe(url);
  });

  it.each(['completions', 'embeddings', 'responses'] as const)('sends %s to the same base as chats', (endpoint) => {
    expect(endpointUrl('http://worker:8000', endpoint)).toBe(`http://worker:8000/v1/${endpoint}`);
  });
});
