import type { StepResult } from '../../client/fixtures/index.ts';
import type { FixturesCheck } from '../fixtures/check.ts';
import type { FixturesRun } from '../fixtures/run.ts';
import { facts, table } from '../layout.ts';
import { printable, type Style } from '../output.ts';

/** A table of steps for each file, then what they put out; `isWritten`: the outputs are in a file, names are enough. */
export function fixturesRunView(isWritten: boolean) {
  return ({ files, outputs }: FixturesRun, style: Style): string => {
    const tables = files.flatMap(({ file, name, steps }) => [
      ...(files.length > 1 || name !== null ? [style.bold(printable(name ?? file))] : []),
      table(
        ['STEP', 'STATUS', 'MS', 'CALL'],
        steps.map(({ id, status, ms, call }) => [id, status, ms.toFixed(1), call]),
        style,
        'No steps',
      ),
    ]);
    const names = Object.keys(outputs);
    if (names.length === 0) return tables.join('\n');
    return [...tables, '', isWritten ? facts({ outputs: names }, style) : facts(outputs, style)].join('\n');
  };
}

/** A step as it is over, for whoever watches. */
export function stepLine(file: string, { id, status, call }: StepResult, style: Style): string {
  return `${style.good('✓')} ${printable(id)} ${style.dim(`${printable(call)} ${status}  ${printable(file)}`)}`;
}

export function fixturesCheckView({ files, problems }: FixturesCheck, style: Style): string {
  const rows = problems.map(({ file, step, problem }) => [file, step, problem]);
  if (rows.length > 0) return table(['FILE', 'STEP', 'PROBLEM'], rows, style, '', true);
  return files.map(({ file, steps }) => `${style.good('ok')}  ${printable(file)}  ${steps} steps`).join('\n');
}
