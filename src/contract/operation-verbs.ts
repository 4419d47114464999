/**
 * The verbs of operation ids: one word for one act, the same in every generated client. A new act adds its verb here;
 * an id with any other verb doesn't compile.
 */
export const OPERATION_VERBS = [
  ...['list', 'get', 'search', 'create', 'add', 'set', 'update', 'delete', 'remove', 'revoke'],
  ...[
    'validate',
    'verify',
    'decrypt',
    'compute',
    'upload',
    'download',
    'import',
    'run',
    'resolve',
    'complete',
  ],
  ...['send', 'forward', 'reflect', 'render', 'refresh', 'reset', 'rotate', 'start', 'stop', 'stream'],
  ...['trigger', 'resend', 'save', 'load', 'compare', 'explain', 'identify', 'consent', 'cancel'],
] as const;

/** A verb and a noun in lower camel case, such as `createUser`. */
export type OperationId = `${(typeof OPERATION_VERBS)[number]}${Capitalize<string>}`;
