'use strict';
const fs = require('node:fs');

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

require('./compile-cache.js');
void require('../dist/daemon.cjs').main(process.argv.slice(2));
