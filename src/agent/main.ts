#!/usr/bin/env node
import { nodeFault } from './node-version';

// Who reads what this prints may leave, and the disk that keeps it may be full. A workload goes on even so.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const fault = nodeFault(process.versions.node);
if (fault === undefined) {
  // Loaded now: an older Node may fail to load it, with an error that explains nothing.
  void import('./commands/program.js')
    .then(({ runProgram }) => runProgram(process.argv.slice(2), { out: process.stdout, err: process.stderr }))
    .then((code) => {
      process.exitCode = code;
    });
} else {
  process.stderr.write(`ccp-agent: ${fault}\n`);
  process.exitCode = 3;
}
