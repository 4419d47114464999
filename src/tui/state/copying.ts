/** What `y`, `Y` and `c` copy: ids, commands and requests; never a value of the vault, nor a credential. */
import { curlCommand } from '../../client/curl.ts';
import { shWord } from '../../kernel/shell-word.ts';
import type { CallText, Row, State, Step } from './model.ts';
import { selectedRow, withNotice } from './reading.ts';

type CopyCommand = 'copy_id' | 'copy_command' | 'copy_curl';

const WHAT: Readonly<Record<CopyCommand, string>> = {
  copy_id: 'an id',
  copy_command: 'a command',
  copy_curl: 'a request',
};

export function copied(state: State, command: CopyCommand): Step {
  const row = selectedRow(state);
  const text = row && textToCopy(row, command, state);
  if (text === undefined) return withNotice(state, 'warn', `This row has not ${WHAT[command]} to copy`);
  const [firstLine = ''] = text.split('\n');
  return {
    ...withNotice(state, 'good', `Copied: ${firstLine.replace(/ \\$/, ' …')}`),
    effects: [{ type: 'copy', text }],
  };
}

function textToCopy(row: Row, command: CopyCommand, { setup }: State): string | undefined {
  switch (command) {
    case 'copy_id':
      return row.id;
    case 'copy_command': {
      if (row.command === undefined) return undefined;
      const isPlain = setup.isByAddress === true || setup.instance === 'default';
      const instance = isPlain ? [] : ['--instance', setup.instance];
      return ['kyclone', ...row.command, ...instance].map(shWord).join(' ');
    }
    case 'copy_curl':
      return row.call && curlOf(row.call);
  }
}

function curlOf({ method, path, body }: CallText): string {
  const isControl = path.startsWith('/_kyclone/');
  return curlCommand(
    {
      method,
      path,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      credential: isControl ? 'control' : 'key',
      body: body === undefined ? undefined : JSON.stringify(body),
      isRaw: false,
    },
    undefined,
  );
}
