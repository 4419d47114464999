/** The default export of `kyclone/browser`. */
import { configure } from './configure.ts';
import { init } from './init.ts';

const kyclone: { readonly init: typeof init; readonly configure: typeof configure } = { init, configure };

export default kyclone;
