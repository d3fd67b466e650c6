#!/usr/bin/env node
// A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });

void import('./program.js')
  .then(({ runProgram }) =>
    runProgram(process.argv.slice(2), {
      out: process.stdout,
      err: process.stderr,
      input: process.stdin,
      environment: process.env,
    }),
  )
  .then((code) => {
    process.exitCode = code;
  });
