/** A member as it arrives: the fields that it shows, and the person that it belongs to, if the object says so. */
export type MemberEntry = readonly [fields: object, person?: string | undefined];

/**
 * What has changed, by the ids of members: all of a member that is new, the fields that have changed, or null for one
 * that is gone. The empty id has a list of members that are asked for all that they show.
 */
export type Changes = Readonly<Record<string, MemberEntry | object | readonly string[] | null>>;

/** The answer to a member that joins: its id, how often it looks around, and who is there. */
export type Joined = readonly [id: string, checkMs: number, members: Readonly<Record<string, MemberEntry>>];
