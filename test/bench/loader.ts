import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire, whose answer holds no body. */
export const wireRequest = (path: string, token: string, body: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

const ANSWERED = Buffer.from('HTTP/1.1 204 ');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Sends each lane's requests over a connection of its own, the next one when the one before is answered. Bare sockets: a
 * client of HTTP would need as much of the machine as the server that it measures.
 * @returns milliseconds from the first request to the last answer, and those in which this process was busy
 */
export async function load(
  url: string,
  lanes: readonly (readonly Buffer[])[],
): Promise<{ milliseconds: number; busy: number }> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    lanes.map(async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  try {
    const before = process.cpuUsage();
    const begun = performance.now();
    await Promise.all(sockets.map((socket, place) => drive(socket, lanes[place] ?? [])));
    const milliseconds = performance.now() - begun;
    const { user, system } = process.cpuUsage(before);
    return { milliseconds, busy: (user + system) / 1_000 };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function drive(socket: Socket, requests: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answer: Buffer | undefined;
    const next = () => {
      const request = requests[sent++];
      if (request) socket.write(request);
      else resolve();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${sent} requests`)));
    socket.on('data', (chunk: Buffer) => {
      const text = answer ? Buffer.concat([answer, chunk]) : chunk;
      const end = text.indexOf(END_OF_HEAD);
      if (end < 0) answer = text;
      else if (text.subarray(0, ANSWERED.length).equals(ANSWERED) && end + END_OF_HEAD.length === text.length) {
        answer = undefined;
        next();
      } else reject(new Error(`answered ${text.toString().slice(0, 500)}`));
    });
    next();
  });
}
