'use strict';
const { join } = require('node:path');

// By default Node opens a debugger on this signal, which could read the keys of a command.
process.on('SIGUSR1', () => undefined);

const root = join(__dirname, '..');

/** The full bundle has the help, and the error for an unknown command. */
function bundleFor(argv) {
  const frequent = require('./frequent-commands.js');
  const isFrequent = frequent.has(argv[0]) || frequent.has(argv.slice(0, 2).join(' '));
  const wantsHelp = argv.includes('--help') || argv.includes('-h');
  return isFrequent && !wantsHelp ? 'cli-frequent.cjs' : 'cli.cjs';
}

if (process.argv[2] === '--version') {
  // Scripts ask for the version, so --version doesn't load the CLI, which takes much longer.
  const { name, version } = require('../package.json');
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else {
  const argv = process.argv.slice(2);
  let main;
  try {
    require('./compile-cache.js');
    const cli = require(join(root, 'dist', bundleFor(argv)));
    cli.reportCrash(argv);
    ({ main } = cli);
  } catch (error) {
    const why =
      error.code === 'EMFILE'
        ? 'too many files are open (EMFILE); ulimit -n 1024 raises the limit'
        : error.code;
    process.stderr.write(`Error: kyclone cannot be loaded from ${root}: ${why ?? error.name}\n`);
    process.exitCode = 1;
  }
  void main?.(argv, root, (path) => import(`../${path}`));
}
