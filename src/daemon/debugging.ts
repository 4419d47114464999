/**
 * Protects against debuggers, which can read everything in this process. A debugger opened by the environment is
 * closed. One requested on Node's command line is intended, and only reported. Code that Node loaded before us can't be
 * undone and is reported, too.
 */

/** Returns notices for the user. Costs nothing when Node has no such options. */
export function closeDebugger(
  nodeOptions: string | undefined,
  nodeFlags: readonly string[],
): readonly string[] {
  const words = `${nodeOptions ?? ''} ${nodeFlags.join(' ')}`;
  if (
    !/--(?:inspect|debug|require|import|loader|experimental[-_]loader|heapsnapshot|heap[-_]prof|cpu[-_]prof|abort[-_]on)|(?:^| )-r /.test(
      words,
    )
  )
    return [];
  const notices: string[] = [];
  // Not imported above, since every start would pay for it.
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() !== undefined) {
    const isWanted = nodeFlags.some((flag) => /^--inspect/.test(flag));
    if (!isWanted) inspector.close();
    notices.push(
      isWanted
        ? 'A debugger is open, as the command line of Node asks: it reads every key and value here.'
        : 'NODE_OPTIONS had opened a debugger, which reads every key and value here; it is closed.',
    );
  }
  const others = words.match(/--?[a-z][\w-]*/g)?.filter((flag) => !flag.startsWith('--inspect')) ?? [];
  const loud = others.filter((flag) => LOUD.test(flag));
  if (loud.length > 0)
    notices.push(
      `Node runs with ${loud.join(', ')}, which gives other code or files access to the data of this process.`,
    );
  return notices;
}

const LOUD =
  /^(?:-r|--(?:require|import|loader|experimental[-_]loader|heapsnapshot.*|heap[-_]prof.*|cpu[-_]prof.*|abort[-_]on[-_]uncaught[-_]exception))$/;
