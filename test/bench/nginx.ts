import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find } from '../support/components';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/free-ports';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** One worker process, as the service is one process, with open connections to the target. */
const configuration = (directory: string, port: number, targets: readonly string[]): string => `
daemon off;
worker_processes 1;
pid ${directory}/pid;
error_log ${directory}/errors warn;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${directory}/bodies;
  proxy_temp_path ${directory}/replies;
  fastcgi_temp_path ${directory}/unused;
  uwsgi_temp_path ${directory}/unused;
  scgi_temp_path ${directory}/unused;
  keepalive_requests 1000000;
  upstream target {
    ${targets.map((target) => `server ${new URL(target).host};`).join(' ')}
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://target;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;

/** An nginx that passes requests on to targets, in turn. @returns why it cannot run here, if it cannot */
export async function nginx(...targets: readonly string[]): Promise<Nginx | string> {
  const program = find('nginx');
  if (program === undefined) return "nginx is missing: install Debian's package nginx-light";
  const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  const [port = 0] = await freePorts(1);
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(directory, port, targets));
  const child = spawn(program, ['-c', file, '-p', directory], { stdio: ['ignore', 'ignore', 'inherit'] });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
