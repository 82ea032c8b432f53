export { type CapnWebOptions, capnWeb } from './capn-web.ts';
