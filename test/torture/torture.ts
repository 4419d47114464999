/**
 * `npm run torture`: tries to break what the product promises, against the built daemon over real HTTP: kills, failing
 * disks, hostile input, every endpoint with every wrong credential. Prints one line for each promise.
 *
 *   --minutes N    time for all promises together; fractions are allowed (default 2). Each gets at least one round
 *   --only NAME    only this promise: its name or its id (R1); may be repeated
 *   --seed TEXT    decides what is done and in which order (default: a new one, printed)
 *   --rounds N     N rounds of each promise, however long they take
 *   --list         print the promises and end
 *   --json         print the outcome as JSON
 *
 * Ends with 1 when a promise is broken. With CI=true a program of the machine that is missing breaks its promise.
 */
import '../../src/devtools/gone-reader.ts';
import { randomInt } from 'node:crypto';
import { chai } from 'vitest';
import { endForOption, OptionError, scriptOptions } from '../../src/devtools/script-options.ts';
import { PROMISES } from './registry.ts';
import { promiseLine, reasonLines, summary } from './report.ts';
import { tryPromise, type Outcome } from './try-promise.ts';
import type { TorturePromise } from './promise.ts';

const MINUTE_MS = 60_000;

const say = (text: string) => void process.stdout.write(`${text}\n`);

// Failures show the expected and the actual value in full, because no reporter shows the difference.
chai.config.truncateThreshold = 0;

function readOptions() {
  const values = scriptOptions('torture', {
    minutes: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string' },
    rounds: { type: 'string' },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new OptionError(`--minutes ${values.minutes}: give a number above 0`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new OptionError(`--rounds ${String(values.rounds)}: give a whole number above 0`);
  }
  return {
    minutes,
    rounds,
    seed: values.seed ?? String(randomInt(1_000_000)),
    promises: chosen(values.only),
    isList: values.list === true,
    isJson: values.json === true,
  };
}

function chosen(only: readonly string[] | undefined): readonly TorturePromise[] {
  if (only === undefined) return PROMISES;
  for (const wanted of only) {
    if (!PROMISES.some(({ id, name }) => id === wanted || name === wanted)) {
      throw new OptionError(`--only ${wanted}: no promise has this name or id; --list prints them`);
    }
  }
  return PROMISES.filter(({ id, name }) => only.includes(id) || only.includes(name));
}

async function torture(): Promise<number> {
  const { minutes, rounds, seed, promises, isList, isJson } = readOptions();
  if (isList) {
    for (const { id, name, says } of promises) say(`${id.padEnd(5)} ${name.padEnd(24)} ${says}`);
    return 0;
  }
  if (!isJson) say(`torture: seed ${seed}, ${minutes} minutes, ${promises.length} promises`);
  const end = performance.now() + minutes * MINUTE_MS;
  const outcomes: Outcome[] = [];
  let waiting = promises.reduce((sum, { weight = 1 }) => sum + weight, 0);
  for (const promise of promises) {
    const { weight = 1 } = promise;
    const milliseconds = ((end - performance.now()) * weight) / waiting;
    waiting -= weight;
    const isStrict = process.env['CI'] === 'true';
    const outcome = await tryPromise(promise, { seed, milliseconds, rounds, isStrict });
    outcomes.push(outcome);
    if (!isJson) process.stdout.write(`${promiseLine(outcome)}\n${reasonLines(outcome, seed)}`);
  }
  const isBroken = outcomes.some(({ verdict }) => verdict === 'failed');
  if (isJson) say(JSON.stringify({ seed, minutes, ok: !isBroken, promises: outcomes }, undefined, 2));
  else say(summary(outcomes, seed));
  return isBroken ? 1 : 0;
}

try {
  process.exitCode = await torture();
} catch (error) {
  endForOption('torture', error);
}
