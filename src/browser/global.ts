/** The plain script: a global variable in place of exports, with `launch` for a bank. `data-global` of the script element gives its name. */
import { launch } from './bank.ts';
import kyclone from './kyclone.ts';

const name = document.currentScript?.dataset['global'] ?? 'kyclone';
Object.assign(window, { [name]: { ...kyclone, launch } });
