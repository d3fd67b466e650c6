import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usage } from '../failures';

const MAX_CHARACTERS = 64 * 1024;

/** A token from a prompt that does not show it, or all of standard input. Arguments are seen by others. */
export async function readToken(input: NodeJS.ReadStream, err: NodeJS.WritableStream, url: string): Promise<string> {
  const text = input.isTTY ? await typed(input, err, `Token for ${url} (it is not shown): `) : await whole(input);
  const token = text.trim();
  if (token === '')
    throw usage('No token was given.', 'Type it, or pass it on standard input: ccp login < token-file.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw usage('A token has no spaces and no line breaks.');
  return token;
}

function typed(input: NodeJS.ReadStream, err: NodeJS.WritableStream, prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  err.write(prompt);
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => resolve(line));
    lines.once('SIGINT', () => {
      lines.close();
      // As a program that does not look for the key ends.
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => reject(usage('No token was given.')));
  }).finally(() => {
    lines.close();
    err.write('\n');
  }) as Promise<string>;
}

async function whole(input: NodeJS.ReadStream): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const piece of input as AsyncIterable<string>) {
    text += piece;
    if (text.length > MAX_CHARACTERS) throw usage(`Standard input is longer than ${MAX_CHARACTERS} characters.`);
  }
  return text;
}
