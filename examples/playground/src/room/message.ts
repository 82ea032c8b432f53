/** How long a message may be, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 1000;

/** What somebody said in a room. */
export interface Message {
  /** Its number: 1 is the first of the room, and it is that of the event that told of it. */
  readonly id: number;
  readonly name: string;
  readonly text: string;
  readonly at: Date;
}
