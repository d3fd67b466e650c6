#!/usr/bin/env node
import { nodeFault } from './node-version';

const FAILED = 1;

/** Standard output has not got all of an answer, and its reader is there. */
let isCut = false;
let isAnswer = true;
// Who reads what this prints may leave, and the disk that keeps it may be full. A workload goes on even so.
process.stdout.on('error', (error: NodeJS.ErrnoException) => (isCut ||= error.code !== 'EPIPE'));
process.stderr.on('error', () => {});
// Only now all of it was written, or was not.
process.once('exit', (code) => {
  if (code === 0 && isCut && isAnswer) process.exitCode = FAILED;
});

const fault = nodeFault(process.versions.node);
if (fault === undefined) {
  // Loaded now: an older Node may fail to load it, with an error that explains nothing.
  void import('./commands/program.js')
    .then(({ runProgram }) =>
      runProgram(process.argv.slice(2), { out: process.stdout, err: process.stderr }, () => (isAnswer = false)),
    )
    .then((code) => {
      process.exitCode = code;
    });
} else {
  process.stderr.write(`ccp-agent: ${fault}\n`);
  process.exitCode = 3;
}
