/** What a connection carries: text, or bytes if something in it is bytes. */
export type Message = string | Uint8Array<ArrayBuffer>;
