/**
 * A debugger reads whatever this process holds. One that the environment opened is closed; one that stands on the command
 * line of Node was wanted, and is reported. What Node loaded before us can't be undone, and is reported, too.
 */

/** What the user should know. Costs nothing where Node has no such options. */
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
  // Not imported above: every start would pay for it.
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
      `Node runs with ${loud.join(', ')}, which lets other code or files have what this process holds.`,
    );
  return notices;
}

const LOUD =
  /^(?:-r|--(?:require|import|loader|experimental[-_]loader|heapsnapshot.*|heap[-_]prof.*|cpu[-_]prof.*|abort[-_]on[-_]uncaught[-_]exception))$/;
