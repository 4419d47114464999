/**
 * Loaded before a program by `node --require`: the program takes its pipes for a terminal of the size in COLUMNS and
 * LINES, so it prints what it would print there.
 */
const tty = require('node:tty');

const size = { columns: Number(process.env.COLUMNS), rows: Number(process.env.LINES) };
const getWindowSize = () => [size.columns, size.rows];

tty.isatty = () => true;
for (const stream of [process.stdout, process.stderr])
  Object.assign(stream, { isTTY: true, getWindowSize, ...size });
Object.assign(process.stdin, { isTTY: true, setRawMode: () => process.stdin });
