import { connect, createServer, type Socket } from 'node:net';

// A process in the network namespace of a workload: see port-publisher.ts, which starts it. A socket belongs
// to the namespace in which it was made. So this process accepts connections of the host from the listener
// that it inherited, and connects to the workload in its own namespace. It imports nothing of the agent, so
// that it starts fast and stays small.

/** The descriptor of the listener. */
const LISTENER = 3;
/** Connections that wait to be accepted. */
const BACKLOG = 1024;
/** More are closed at once. Each needs two descriptors, 8 KB, and up to 64 KiB each way that wait. */
const MOST_CONNECTIONS = 2000;
/** A batch system may send its signals to each process of a job. This one ends with its supervisor. */
const NOT_FOR_IT = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;

const port = Number(process.argv[2]);

/** What one sends goes to the other, as slowly as the other takes it; so do its end and its failure. */
function pass(one: Socket, other: Socket): void {
  one.pipe(other);
  // One that refuses or resets a connection must look so from the other side, and not like an answer's end.
  one.on('error', () => other.resetAndDestroy());
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (outside) => {
  const inside = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  pass(outside, inside);
  pass(inside, outside);
});
server.maxConnections = MOST_CONNECTIONS;
server.listen({ fd: LISTENER, backlog: BACKLOG });

for (const signal of NOT_FOR_IT) process.on(signal, () => {});

// The supervisor has the other end, and loses it in whatever way it ends.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();
