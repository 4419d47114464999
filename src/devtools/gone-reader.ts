/** For scripts that print: a reader that is gone, as in `npm run measure | head`, is no failure with a stack. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
