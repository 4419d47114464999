export { decodeFile, encodeFile } from './descriptor.ts';
export type { FileListener } from './file-listener.ts';
export { openFile, sealFile, type OpenFile } from './sealed-file.ts';
export { StoredFile } from './stored-file.ts';
