#!/usr/bin/env node
// Runs dist/daemon.cjs from the compiled code that the build left beside it. V8 checks that the code is of this text and
// this version of itself; if it isn't, or there is none, the text is compiled as usual. Node's modules are asked for by
// getBuiltinModule, since importing them would build a namespace of each.
const [fs, vm, path, url, nodeModule] = ['fs', 'vm', 'path', 'url', 'module'].map((name) =>
  process.getBuiltinModule(name),
);

// This process holds keys and values, and a signal must not open it: not the debugger (SIGUSR1), not what Node was told to
// do on a signal (a heap snapshot, a report with the environment). A core dump has none of its memory (Linux: no kind of
// mapping is dumped, wherever the dump goes).
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
  // No /proc: whoever starts the daemon sets the limit of core dumps.
}

const file = path.join(path.dirname(url.fileURLToPath(import.meta.url)), '..', 'dist', 'daemon.cjs');
const cacheFile = `${file}.cache`;

function readCache() {
  try {
    return fs.readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

/** In a function, so that the cache doesn't outlive the loading. The build writes ASCII (src/devtools/ascii.ts): one byte a character. */
function compile() {
  const cachedData = readCache();
  return new vm.Script(nodeModule.wrap(fs.readFileSync(file, 'latin1')), {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

function load(script) {
  const daemon = { exports: {} };
  const require = nodeModule.createRequire(file);
  script.runInThisContext()(daemon.exports, require, daemon, file, path.dirname(file));
  return daemon.exports;
}

if (process.env.KYCLONE_WRITE_CODE_CACHE === '1') {
  // The build asks for this: keeps what a start compiles, and ends.
  const script = compile();
  await load(script).main(process.argv.slice(2));
  fs.writeFileSync(cacheFile, script.createCachedData());
  fs.chmodSync(cacheFile, 0o644);
  process.kill(process.pid, 'SIGTERM');
} else await load(compile()).main(process.argv.slice(2));
