/** Frames that answer each other, in hexadecimal. */
export interface TopicExchange {
  readonly name: string;
  readonly up: string;
  /** What the server sends then. */
  readonly down: readonly string[];
}

/**
 * What docs/protocol-topics.md explains, in order: an object has published "a", "b" and "c" to its topic `prices`. They change
 * only with the version of the protocol.
 */
export const TOPIC_EXCHANGES = [
  {
    name: 'subscribing since the first event',
    up: '0183004981a002050173756273637269626573696e63650e',
    down: ['0181e70a82460170726963657306', '264602f80003416201f8000341630170726963657306'],
  },
  {
    name: 'publishing while subscribed',
    up: '0283004781417075626c6973686408',
    down: ['02810400', '264604f8000341640170726963657306'],
  },
  {
    name: 'having gone through half a window',
    up: '038326461f6170726963657306',
    down: [],
  },
  {
    name: 'going on over another connection',
    up: '24058100f800180183004981a002050173756273637269626573696e63650e8182000400',
    down: ['0181e70a82460470726963657306', '264605f8000341650170726963657306'],
  },
  {
    name: 'unsubscribing',
    up: '038327460170726963657306',
    down: [],
  },
  {
    name: 'subscribing since a number that was never given',
    up: '0383004b8246a0020509737562736372696265546f70726963657373696e636516',
    down: ['0381e70a834605e4000000000000f07f70726963657306'],
  },
  {
    name: 'subscribing to what retains nothing',
    up: '0483004b8246a0020500737562736372696265546f6c617465737473696e636516',
    down: ['0481e70a8246006c617465737406', '2646036c617465737406'],
  },
] as const satisfies readonly TopicExchange[];
