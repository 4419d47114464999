#!/usr/bin/env node
'use strict';
const [fs, path] = ['fs', 'path'].map((name) => process.getBuiltinModule(name));

// This process holds keys and values, and a signal must not expose them. So signals neither open the debugger (SIGUSR1)
// nor write a heap snapshot or a report with the environment, as options of Node can request. On Linux, a core dump
// contains none of its memory: the filter excludes every kind of mapping.
for (const name of process.eventNames()) if (/^SIG/.test(String(name))) process.removeAllListeners(name);
process.on('SIGUSR1', () => undefined);
if (/--report/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '))) {
  Object.assign(process.report, {
    reportOnSignal: false,
    reportOnFatalError: false,
    reportOnUncaughtException: false,
  });
}
try {
  if (process.platform === 'linux') fs.writeFileSync('/proc/self/coredump_filter', '0');
} catch {
  // Without /proc, the caller has to limit core dumps.
}

const { cacheOf, compile, run } = require('./load-bundle.js');
const file = path.join(__dirname, '..', 'dist', 'daemon.cjs');
const argv = process.argv.slice(2);

if (process.env.KYCLONE_WRITE_CODE_CACHE === '1') {
  // For the build: stores the code that a start compiles, then ends.
  const script = compile(file);
  run(script, file)
    .main(argv)
    .then(() => {
      fs.writeFileSync(cacheOf(file), script.createCachedData());
      fs.chmodSync(cacheOf(file), 0o644);
      process.kill(process.pid, 'SIGTERM');
    });
} else void run(compile(file), file).main(argv);
