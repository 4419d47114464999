/**
 * The meaning of each key, defined only here. Help, hints and the table of docs/terminal-ui.md are generated from it.
 */

export type Command =
  | 'down'
  | 'up'
  | 'page_down'
  | 'page_up'
  | 'half_down'
  | 'half_up'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | 'forward'
  | 'next_pane'
  | 'previous_pane'
  | 'numbered_pane'
  | 'palette'
  | 'filter'
  | 'read'
  | 'sort'
  | 'follow'
  | 'next_case'
  | 'reload'
  | 'help'
  | 'copy_id'
  | 'copy_command'
  | 'copy_curl'
  | 'reveal'
  | 'save'
  | 'browse'
  | 'verify'
  | 'compare'
  | 'label'
  | 'tag'
  | 'resend'
  | 'trigger'
  | 'onboard'
  | 'decide'
  | 'review'
  | 'claim'
  | 'note'
  | 'ask'
  | 'remove'
  | 'create'
  | 'switch'
  | 'menu'
  | 'mark'
  | 'mark_all'
  | 'suspend'
  | 'quit'
  | 'interrupt';

export interface Binding {
  readonly command: Command;
  readonly keys: readonly string[];
  readonly says: string;
  readonly group: 'Move' | 'Find' | 'Copy' | 'Act' | 'Leave';
  /** Not available under --readonly. */
  readonly changes?: true;
}

export const KEY_MAP: readonly Binding[] = [
  { command: 'down', keys: ['j', 'down'], says: 'next row', group: 'Move' },
  { command: 'up', keys: ['k', 'up'], says: 'previous row', group: 'Move' },
  {
    command: 'page_down',
    keys: ['pagedown', 'ctrl-f'],
    says: 'one screen down; scrolls a long revealed value',
    group: 'Move',
  },
  {
    command: 'page_up',
    keys: ['pageup', 'ctrl-b'],
    says: 'one screen up; scrolls a long revealed value',
    group: 'Move',
  },
  {
    command: 'half_down',
    keys: ['ctrl-d'],
    says: 'half a screen down; scrolls a long revealed value',
    group: 'Move',
  },
  {
    command: 'half_up',
    keys: ['ctrl-u'],
    says: 'half a screen up; scrolls a long revealed value',
    group: 'Move',
  },
  { command: 'first', keys: ['g', 'home'], says: 'first row', group: 'Move' },
  { command: 'last', keys: ['G', 'end'], says: 'last loaded row; loads more', group: 'Move' },
  { command: 'open', keys: ['enter', 'l', 'right'], says: 'open the row', group: 'Move' },
  { command: 'read', keys: ['i'], says: 'read the whole row', group: 'Move' },
  { command: 'back', keys: ['escape', 'h', 'left'], says: 'close, clear, or go back', group: 'Move' },
  { command: 'forward', keys: ['L'], says: 'go forward again', group: 'Move' },
  { command: 'next_pane', keys: ['tab', ']'], says: 'next pane', group: 'Move' },
  { command: 'previous_pane', keys: ['shift-tab', '['], says: 'previous pane', group: 'Move' },
  {
    command: 'numbered_pane',
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    says: 'the pane with this number',
    group: 'Move',
  },
  {
    command: 'palette',
    keys: [':'],
    says: 'go to a screen, start an action, or find a person',
    group: 'Find',
  },
  {
    command: 'filter',
    keys: ['/'],
    says: 'filter or search this list; an empty text shows all',
    group: 'Find',
  },
  { command: 'sort', keys: ['s'], says: 'sort by the next column; S reverses the order', group: 'Find' },
  { command: 'follow', keys: ['f'], says: 'follow the newest row', group: 'Find' },
  { command: 'next_case', keys: ['n'], says: 'next case of the review queue', group: 'Find' },
  {
    command: 'reload',
    keys: ['R', 'ctrl-r'],
    says: 'load again; reconnect when the daemon was lost',
    group: 'Find',
  },
  { command: 'help', keys: ['?'], says: 'these keys', group: 'Find' },
  { command: 'copy_id', keys: ['y'], says: 'copy the id, or the headers of an attempt', group: 'Copy' },
  {
    command: 'copy_command',
    keys: ['Y'],
    says: 'copy the kyclone command that shows the same',
    group: 'Copy',
  },
  {
    command: 'copy_curl',
    keys: ['c'],
    says: 'copy the request as curl',
    group: 'Copy',
  },
  {
    command: 'reveal',
    keys: ['x'],
    says: 'reveal the field for 20 s; asks for a reason, logged',
    group: 'Act',
    changes: true,
  },
  {
    command: 'save',
    keys: ['w'],
    says: 'save the file; asks for a reason, logged',
    group: 'Act',
    changes: true,
  },
  {
    command: 'browse',
    keys: ['O'],
    says: 'open the image in the browser; asks for a reason, logged',
    group: 'Act',
    changes: true,
  },
  {
    command: 'verify',
    keys: ['v'],
    says: 'verify what a caller says: match or no match, logged',
    group: 'Act',
    changes: true,
  },
  {
    command: 'compare',
    keys: ['='],
    says: 'compare with the duplicate without showing values',
    group: 'Act',
    changes: true,
  },
  { command: 'resend', keys: ['r'], says: 'resend the event', group: 'Act', changes: true },
  { command: 'trigger', keys: ['t'], says: 'trigger an event', group: 'Act', changes: true },
  {
    command: 'onboard',
    keys: ['o'],
    says: 'run an onboarding to a chosen outcome',
    group: 'Act',
    changes: true,
  },
  { command: 'decide', keys: ['d'], says: 'decide by hand', group: 'Act', changes: true },
  { command: 'label', keys: ['m'], says: 'label', group: 'Act', changes: true },
  { command: 'tag', keys: ['T'], says: 'tag', group: 'Act', changes: true },
  {
    command: 'review',
    keys: ['H'],
    says: 'decide on a hit: false positive or confirmed',
    group: 'Act',
    changes: true,
  },
  {
    command: 'claim',
    keys: ['C'],
    says: 'claim the case for 15 minutes, or take it over',
    group: 'Act',
    changes: true,
  },
  { command: 'note', keys: ['N'], says: 'write a note', group: 'Act', changes: true },
  { command: 'ask', keys: ['M'], says: 'ask the user for more', group: 'Act', changes: true },
  {
    command: 'remove',
    keys: ['-'],
    says: 'remove or delete the row',
    group: 'Act',
    changes: true,
  },
  { command: 'create', keys: ['+'], says: 'create an entry in this list', group: 'Act', changes: true },
  {
    command: 'switch',
    keys: ['e'],
    says: 'enable or disable the webhook endpoint',
    group: 'Act',
    changes: true,
  },
  { command: 'menu', keys: ['a'], says: 'list the actions possible here', group: 'Act', changes: true },
  {
    command: 'mark',
    keys: ['space'],
    says: 'mark the row; the next action is for all marked rows',
    group: 'Act',
    changes: true,
  },
  {
    command: 'mark_all',
    keys: ['*'],
    says: 'mark all loaded rows, or none',
    group: 'Act',
    changes: true,
  },
  { command: 'suspend', keys: ['ctrl-z'], says: 'go to the shell; fg comes back', group: 'Leave' },
  { command: 'quit', keys: ['q'], says: 'leave', group: 'Leave' },
  { command: 'interrupt', keys: ['ctrl-c'], says: 'leave, even while something is open', group: 'Leave' },
];

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
