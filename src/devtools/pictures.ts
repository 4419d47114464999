/**
 * Draws docs/pictures: what the built program prints in the runs below. The same runs draw the same pictures, so a test
 * compares them.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GeneratedFile } from './generate.ts';
import { PipedTerminal } from './pictures/piped-terminal.ts';
import { svgOf } from './pictures/svg.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const START = 'kyclone start --detach --ephemeral --port 0 --seed tour --clock 2026-03-02T08:14:00Z';

/** The seed makes this id. */
const JANE = 'fp_id_lnpnAc8dAzmgizP0jyLQ5P';

const TOUR = {
  path: 'docs/pictures/tour.svg',
  columns: 104,
  lines: [
    'kyclone users create id.first_name=Jane id.last_name=Doe id.dob=1988-12-30 id.ssn9=123-45-6789 \\\n' +
      '  id.address_line1="1 Main St" id.city=Boston id.state=MA id.zip=02108 id.country=US',
    `kyclone vault get ${JANE}`,
    `kyclone vault decrypt ${JANE} id.ssn9 --reason "support case 4711" --as Ada`,
    `kyclone users timeline ${JANE} --kind read`,
    `kyclone users kyc ${JANE} --result manual_review`,
  ],
};

const INSPECTOR = {
  path: 'docs/pictures/inspect.svg',
  columns: 120,
  rows: 31,
  prepared: `
    kyclone fake user --seed 7 --json | kyclone users create --external-id customer-4711 --data -
    kyclone clock advance 4m
    kyclone outcomes create manual_review --external-id customer-4711 --add-signal watchlist_hit_ofac
    kyclone users kyc customer-4711
    kyclone clock advance 26m
    kyclone vault decrypt customer-4711 id.dob id.phone_number --reason "support case 4711" --as Ada
    kyclone clock advance 6m
    kyclone notes create customer-4711 "Passport requested by e-mail" --as Ada
    kyclone users tag customer-4711 vip
    kyclone clock advance 3h
    kyclone bank link --user customer-4711`,
  line: 'kyclone inspect --user customer-4711 --as Ada',
  shows: /connected[^]*^\[Overview\](?: \w+ \d+ ?)+ ›$[^]* Created$[^]*1 of \d+/m,
};

/** Every picture, as the built program draws it now. */
export async function pictures(): Promise<readonly GeneratedFile[]> {
  return await Promise.all([drawTour(), drawInspector()]);
}

async function drawTour(): Promise<GeneratedFile> {
  using instance = startInstance('');
  const { path, columns, lines } = TOUR;
  const terminal = new PipedTerminal({ columns, rows: 100 }, instance.environment);
  for (const line of lines) await terminal.type(line);
  return { path, content: svgOf(terminal.screen(), { title: 'kyclone', columns }) };
}

async function drawInspector(): Promise<GeneratedFile> {
  const { path, columns, rows, prepared, line, shows } = INSPECTOR;
  using instance = startInstance(prepared);
  const terminal = new PipedTerminal({ columns, rows }, instance.environment);
  return { path, content: svgOf(await terminal.open(line, shows), { title: 'kyclone inspect', columns }) };
}

/** Starts an instance in a home of its own, and runs the shell's lines of `prepared`. */
function startInstance(prepared: string): Disposable & { readonly environment: NodeJS.ProcessEnv } {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-pictures-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'kyclone'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin', 'kyclone.js')}' "$@"\n`,
  );
  chmodSync(join(bin, 'kyclone'), 0o755);
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    KYCLONE_HOME: home,
    KYCLONE_NO_KEYCHAIN: '1',
    LANG: 'C.UTF-8',
  };
  const run = (script: string) =>
    execFileSync('sh', ['-c', `set -e\n${script}`], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const end = () => {
    run('kyclone stop');
    rmSync(home, { recursive: true, force: true });
  };
  try {
    run(`${START}\n${prepared}`);
  } catch (error) {
    end();
    throw error;
  }
  return { environment, [Symbol.dispose]: end };
}

async function main(): Promise<void> {
  for (const { path, content } of await pictures()) {
    writeFileSync(join(ROOT, path), content);
    process.stdout.write(`${path}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
