/**
 * The meaning of each key, defined only here. Help, hints and the table of docs/terminal-ui.md are generated from it.
 */

/** By group: the keys of each command, what it does, and other words for it in the palette. */
const COMMANDS = {
  Move: {
    down: ['j down', 'next row'],
    up: ['k up', 'previous row'],
    page_down: ['pagedown ctrl-f', 'one screen down; scrolls a long revealed value'],
    page_up: ['pageup ctrl-b', 'one screen up; scrolls a long revealed value'],
    half_down: ['ctrl-d', 'half a screen down; scrolls a long revealed value'],
    half_up: ['ctrl-u', 'half a screen up; scrolls a long revealed value'],
    first: ['g home', 'first row'],
    last: ['G end', 'last loaded row; loads more'],
    open: ['enter l right', 'open the row'],
    read: ['i', 'read the whole row'],
    back: ['escape h left', 'close, clear, or go back'],
    forward: ['L', 'go forward again'],
    next_pane: ['tab ]', 'next pane'],
    previous_pane: ['shift-tab [', 'previous pane'],
    numbered_pane: ['1 2 3 4 5 6 7 8 9', 'the pane with this number'],
  },
  Find: {
    palette: [':', 'go to a screen, start an action, or find a person'],
    filter: ['/', 'filter or search this list; an empty text shows all'],
    sort: ['s', 'sort by the next column; S reverses the order'],
    follow: ['f', 'follow the newest row', 'tail live'],
    next_case: ['n', 'next case of the review queue'],
    reload: ['R ctrl-r', 'load again; reconnect when the daemon was lost', 'refresh connect'],
    help: ['?', 'these keys', 'keys'],
  },
  Copy: {
    copy_id: ['y', 'copy the id, or the headers of an attempt'],
    copy_command: ['Y', 'copy the kyclone command that shows the same'],
    copy_curl: ['c', 'copy the request as curl'],
  },
  Act: {
    reveal: ['x', 'reveal the field for 20 s; asks for a reason, logged', 'decrypt show value'],
    save: ['w', 'save the file; asks for a reason, logged', 'download file document image'],
    browse: ['O', 'open the image in the browser; asks for a reason, logged', 'open image document photo'],
    verify: ['v', 'verify what a caller says: match or no match, logged', 'caller match check identity'],
    compare: ['=', 'compare with the duplicate without showing values', 'same different duplicate'],
    resend: ['r', 'resend the event', 'webhook again'],
    trigger: ['t', 'trigger an event', 'webhook send test'],
    onboard: ['o', 'run an onboarding to a chosen outcome', 'kyc kyb run'],
    decide: ['d', 'decide by hand', 'review pass fail'],
    label: ['m', 'label', 'mark fraud offboard'],
    tag: ['T', 'tag', 'mark'],
    review: [
      'H',
      'decide on a hit: false positive or confirmed',
      'hit watchlist media false positive confirmed',
    ],
    claim: ['C', 'claim the case for 15 minutes, or take it over', 'case take over who works on'],
    note: ['N', 'write a note', 'comment remark'],
    ask: ['M', 'ask the user for more'],
    remove: ['-', 'remove or delete the row', 'delete untag'],
    create: ['+', 'create an entry in this list'],
    switch: ['e', 'enable or disable the webhook endpoint'],
    menu: ['a', 'list the actions possible here'],
    mark: ['space', 'mark the row; the next action is for all marked rows'],
    mark_all: ['*', 'mark all loaded rows, or none'],
  },
  Leave: {
    suspend: ['ctrl-z', 'go to the shell; fg comes back'],
    quit: ['q', 'leave', 'exit leave'],
    interrupt: ['ctrl-c', 'leave, even while something is open'],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<string, readonly [keys: string, says: string, words?: string]>>>
>;

/** How many rows a command moves on, in a window of this many. */
export const STEPS = {
  down: () => 1,
  up: () => -1,
  page_down: (rows: number) => rows,
  page_up: (rows: number) => -rows,
  half_down: (rows: number) => Math.ceil(rows / 2),
  half_up: (rows: number) => -Math.ceil(rows / 2),
  first: () => -Infinity,
  last: () => Infinity,
} satisfies Partial<Record<Command, (rows: number) => number>>;

export function isMove(command: Command | undefined): command is keyof typeof STEPS {
  return command !== undefined && Object.hasOwn(STEPS, command);
}

type Group = keyof typeof COMMANDS;
export type Command = { [Each in Group]: keyof (typeof COMMANDS)[Each] }[Group];

export interface Binding {
  readonly command: Command;
  readonly keys: readonly string[];
  readonly says: string;
  readonly words: readonly string[];
  readonly group: Group;
  /** Not available under --readonly. */
  readonly changes: boolean;
}

export const KEY_MAP: readonly Binding[] = Object.entries(COMMANDS).flatMap(([group, commands]) =>
  Object.entries<readonly [keys: string, says: string, words?: string]>(commands).map(
    ([command, [keys, says, words]]) => ({
      command: command as Command,
      keys: keys.split(' '),
      says,
      words: words?.split(' ') ?? [],
      group: group as Group,
      changes: group === 'Act',
    }),
  ),
);

/** The key that is named beside a command; undefined without one. */
export function firstKeyOf(command: string): string | undefined {
  return KEY_MAP.find((binding) => binding.command === command)?.keys[0];
}

export type HelpLine = { readonly heading: string } | { readonly keys: string; readonly says: string };

/** The lines of the help (`?`). */
export function helpLines(isReadonly: boolean): readonly HelpLine[] {
  const shown = KEY_MAP.filter(({ changes }) => !isReadonly || !changes);
  const groups = [...new Set(shown.map(({ group }) => group))];
  return groups.flatMap((group): HelpLine[] => [
    { heading: group },
    ...shown.flatMap((each) =>
      each.group === group ? [{ keys: each.keys.join(' '), says: each.says }] : [],
    ),
  ]);
}

const COMMAND_OF = new Map(
  KEY_MAP.flatMap(({ keys, command }) => keys.map((key) => [key, command] as const)),
);

/**
 * The meaning of a key while no text is typed. `S` is `s` with the other direction; moves.ts reads the direction from
 * the key.
 */
export function commandOf(key: string): Command | undefined {
  return COMMAND_OF.get(key === 'S' ? 's' : key);
}
