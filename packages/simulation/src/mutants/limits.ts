import { inFile, type Mutant } from './mutant.ts';

/** Defects of limits and options. */
export const LIMITS: readonly Mutant[] = [
  ...inFile('server/topics/topics.ts', [
    ['one-subscription-too-many', 'topics.size >= limits.maxSubscriptions', 'topics.size > limits.maxSubscriptions'],
  ]),
  ...inFile('server/session.ts', [
    [
      'objects-have-room-for-all-calls',
      'if (shared.calls - this.running + running < limits.maxObjectCallsInFlight) return undefined;',
      'return undefined;',
    ],
    ['one-call-too-many-runs', 'running >= limits.maxCallsInFlight', 'running > limits.maxCallsInFlight'],
  ]),
  ...inFile('server/answers.ts', [
    [
      'a-frame-of-too-many-runs',
      'if (frame.length - at > limits.maxOperationsPerFrame)',
      'if (frame.length - at > 1e9)',
    ],
    [
      'a-call-that-may-have-run-is-said-not-to',
      'return running.ageMs === undefined ? error :',
      'return running.ageMs !== -1 ? error :',
    ],
    [
      'a-method-does-not-learn-that-its-caller-gave-up',
      'if (this.waiting.delete(given[at])) call!.giveUp',
      'if (this.waiting.delete(given[at]) && call === undefined) call!.giveUp',
    ],
    ['calls-do-not-take-turns', 'if (!turns.isTaken || (isOurs', 'if (turns !== undefined || (isOurs'],
  ]),
  ...inFile('server/connections.ts', [
    [
      'one-connection-too-many',
      'if (this.count + this.others.size < maxConnections || this.size < maxConnections) return;',
      'if (this.count + this.others.size <= maxConnections || this.size < maxConnections) return;',
    ],
    ['an-ended-connection-counts', 'if (this.count !== undefined) this.count--;', ''],
  ]),
  ...inFile('client/client-calls.ts', [
    ['what-a-notice-calls-unsent-waits-anew', 'if (sent === 0) frame.at = Date.now();', 'frame.at = Date.now();'],
    ['calls-wait-without-end', 'if (now - since >= maxWaitMs)', 'if (now - since >= maxWaitMs * 1e6)'],
    ['as-many-calls-wait-as-are-made', 'if (this.calls.size < maxQueuedCalls) return undefined;', 'return undefined;'],
  ]),
  ...inFile('server/gate.ts', [
    ['rates-do-not-limit', 'const refused = take(buckets, operationsIn(frame));', 'const refused = take(buckets, 0);'],
    ['bytes-in-flight-do-not-count', 'this.bytes += cost;', ''],
    ['bytes-in-flight-are-never-let-go-of', 'if (waiting.size === 0) this.bytes = 0;\n', ''],
    [
      'a-large-frame-beside-another-runs',
      "return isFull() ? exceeded('maxBytesInFlight', limits, 'OVERLOADED') : undefined;",
      'return undefined;',
    ],
  ]),
  ...inFile('server/rates.ts', [
    ['tokens-come-too-slowly', '(now - this.filledAt) * this.rate', '(now - this.filledAt) * this.rate * 0.5'],
    ['tokens-come-too-fast', '(now - this.filledAt) * this.rate', '(now - this.filledAt) * this.rate * 9'],
    [
      'a-burst-is-too-large',
      'this.capacity = this.level = burst * 1000;',
      'this.capacity = this.level = burst * 1000 + 1000;',
    ],
    [
      'waits-are-told-too-short',
      'Math.ceil((wanted - this.level) / this.rate)',
      'Math.ceil((wanted - this.level) / this.rate / 2)',
    ],
    ['identities-share-nothing', 'bucket(`${name}`, identity)', 'bucket(`${name}${Math.random()}`, identity)'],
    ['frames-beyond-a-burst-run', 'if (wanted > this.capacity) return Number.POSITIVE_INFINITY;', ''],
  ]),
  ...inFile('server/map.ts', [
    [
      'one-element-too-many',
      'if (elements.push(element) > maxMapElements)',
      'if (elements.push(element) > maxMapElements + 1)',
    ],
    ['callbacks-see-one-element', 'callback(call, elements[at],', 'callback(call, elements[from],'],
    ['results-of-maps-are-mixed-up', 'results[from + offset] = value;', 'results[from] = value;'],
  ]),
  ...inFile('peer/check-options.ts', [
    ['options-are-not-checked', 'if (type === undefined || value === undefined) continue;', 'continue;'],
  ]),
  ...inFile('client/backoff.ts', [
    [
      'a-client-comes-back-too-late',
      'return Math.random() * Math.min(maxDelayMs,',
      'return 100 * Math.min(maxDelayMs * 1000,',
    ],
  ]),
  ...inFile('server/turns.ts', [
    ['jobs-that-wait-never-run', 'this.run();\n    }\n    // What', 'break;\n    }\n    // What'],
    [
      'a-call-begins-while-another-has',
      'while (this.begun === undefined && !this.isHeld && this.length > 0)',
      'while (!this.isHeld && this.length > 0)',
    ],
    [
      'turns-never-end',
      'if (this.begun === promise) this.begun = undefined;',
      'if (this.begun === null) this.begun = undefined;',
    ],
  ]),
];
