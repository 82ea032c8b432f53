// What the encoder and the decoder of `./demand` ask for: apart from them, so that it can be loaded later.
export { located } from './path.ts';
export { RARE } from './types/put-together-rare.ts';
