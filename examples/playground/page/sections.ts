import type { ComponentType } from 'preact';
import type { SectionId } from './address.ts';
import { ChatSection } from './chat/chat-section.tsx';
import { CounterSection } from './counter/counter-section.tsx';
import { InspectorSection } from './inspector/inspector-section.tsx';
import { RaceSection } from './race/race-section.tsx';
import { ValuesSection } from './values/values-section.tsx';

/** What every section is given. */
export interface SectionProps {
  /** What the address says behind the section, such as the room of `#chat/garden`; `main` where it says nothing. */
  readonly name: string;
  /** Whether it is in view: sections that were opened stay, with their connections, while another is. */
  readonly isShown: boolean;
}

/** One part of the playground. */
export interface Section {
  readonly id: SectionId;
  readonly title: string;
  /** What there is to see, in a sentence or two. */
  readonly lede: string;
  readonly Content: ComponentType<SectionProps>;
}

/** In the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  {
    id: 'counter',
    title: 'Counter',
    lede: 'One number in a Durable Object. Open this page twice: both count on it, and both see it move. Then cut the connection, and see what becomes of each call.',
    Content: CounterSection,
  },
  {
    id: 'race',
    title: 'Race',
    lede: 'The same object behind Lumenize RPC and behind Cap’n Web, called in turns by this page.',
    Content: RaceSection,
  },
  {
    id: 'values',
    title: 'Values',
    lede: 'Type any JavaScript value. It crosses the wire to an object and back; here is its frame, and what others make of it.',
    Content: ValuesSection,
  },
  {
    id: 'chat',
    title: 'Chat',
    lede: 'A room on topics. Who is there, what was said, and what you missed while you were away.',
    Content: ChatSection,
  },
  {
    id: 'inspector',
    title: 'Inspector',
    lede: 'The frames of this page’s connections, decoded, as they come and go.',
    Content: InspectorSection,
  },
];
