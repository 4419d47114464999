/** Copies ids, commands and requests with `y`, `Y` and `c`; never a value of the vault, nor a credential. */
import { curlCommand } from '../../client/curl.ts';
import { shWord } from '../../kernel/text/shell-word.ts';
import type { Copied } from '../data/clipboard.ts';
import type { CallText, Notice, Row, State, Step } from './model.ts';
import { selectedRow, withNotice } from './reading.ts';

type CopyCommand = 'copy_id' | 'copy_command' | 'copy_curl';

const WHAT: Readonly<Record<CopyCommand, string>> = {
  copy_id: 'id',
  copy_command: 'command',
  copy_curl: 'request',
};

export function copied(state: State, command: CopyCommand): Step {
  const row = selectedRow(state);
  const text = row && textToCopy(row, command, state);
  if (text === undefined) return withNotice(state, 'warn', `This row has no ${WHAT[command]} to copy`);
  const [firstLine = ''] = text.split('\n');
  const what = (command === 'copy_id' && row?.copies) || firstLine.replace(/ \\$/, ' …');
  return { state, effects: [{ type: 'copy', text, what }] };
}

/** The notice about a copy. It claims success only when the clipboard is known to have the text. */
export function noticeOfCopy(how: Copied, what: string): Notice {
  switch (how) {
    case 'copied':
      return { tone: 'good', text: `Copied: ${what}` };
    case 'sent':
      return { tone: 'good', text: `Copied, if this terminal allows it: ${what}` };
    case 'too_long':
      return { tone: 'warn', text: `Not copied, it is too long for a terminal's clipboard: ${what}` };
  }
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
