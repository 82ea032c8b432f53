/** A configuration of about 5 kB of JSON, as a deployment tool writes it: deep, and hardly two objects alike. */
export function tree(): unknown {
  return {
    name: 'storefront',
    version: '4.12.0-rc.3',
    description: 'Serves the shop, its search and the pages of its suppliers',
    main: 'src/worker.ts',
    compatibility: { date: '2026-10-15', flags: ['streams_enable_constructors', 'no_nodejs_compat'] },
    account: { id: '9b1f2c7e5d3a4f60', email: 'operations@example.com', twoFactor: true },
    routes: [
      { pattern: 'shop.example.com/*', zone: 'example.com' },
      { pattern: 'example.com/search*', zone: 'example.com', customDomain: false, priority: 10 },
      { pattern: 'suppliers.example.org/:supplier/*', zone: 'example.org', previews: { enabled: true, ttlDays: 14 } },
    ],
    assets: {
      directory: './public',
      binding: 'ASSETS',
      html: 'auto-trailing-slash',
      notFound: 'single-page-application',
      headers: {
        '/*': { 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'strict-origin' },
        '/fonts/*': { 'Cache-Control': 'public, max-age=31536000, immutable' },
      },
    },
    storage: {
      objects: {
        bindings: [
          { name: 'CART', class: 'Cart', sqlite: true },
          { name: 'STOCK', class: 'StockLevel', sqlite: true, location: 'weur', alarms: { minimumMs: 5000 } },
          { name: 'SESSION', class: 'Session', sqlite: false, script: 'accounts' },
        ],
        migrations: [
          { tag: 'v1', created: ['Cart', 'Session'] },
          { tag: 'v2', createdWithSql: ['StockLevel'] },
          { tag: 'v3', renamed: [{ from: 'Basket', to: 'Cart' }], deleted: ['OldSession'] },
        ],
      },
      database: {
        primary: { host: 'db-1.internal', port: 5432, user: 'shop', pool: { min: 2, max: 20, idleMs: 30000 } },
        replicas: ['db-2.internal', 'db-3.internal'],
        ssl: { mode: 'verify-full', authority: '/etc/ssl/internal.pem' },
        statementTimeoutMs: 1500,
      },
      buckets: { images: { region: 'eu-central', versioned: true }, exports: { region: 'eu-west', expireDays: 30 } },
    },
    environments: {
      production: {
        variables: { LOG_LEVEL: 'warn', CURRENCY: 'EUR', TAX: 0.19, FREE_SHIPPING_FROM: 49.95 },
        secrets: ['PAYMENT_KEY', 'MAIL_TOKEN'],
        limits: { cpuMs: 50, subrequests: 50 },
      },
      staging: {
        inherits: 'production',
        variables: { LOG_LEVEL: 'debug', BASE_URL: 'https://staging.example.com' },
        password: null,
      },
      development: { variables: {}, port: 8787, open: false, mocks: { payments: 'always-succeeds', mail: null } },
    },
    features: {
      search: { engine: 'inverted-index', fuzzy: 0.2, synonyms: { sofa: ['couch', 'settee'], tv: ['television'] } },
      recommendations: { enabled: false, model: null, weights: [0.5, 0.25, 0.125, 0.125] },
      newCheckout: { rollout: 0.15, countries: ['DE', 'AT', 'CH'], excludes: { agents: ['bot', 'crawler'] } },
    },
    logging: {
      level: 'info',
      sampling: 0.01,
      sinks: [
        { type: 'http', url: 'https://logs.example.com/v2/ingest', batch: { size: 500, seconds: 5 } },
        { type: 'console', pretty: true },
        {
          type: 'file',
          path: '/var/log/storefront.log',
          rotate: { bytes: 10485760, keep: 5 },
          when: ['error', 'fatal'],
        },
      ],
      redact: ['password', 'card.number', 'headers.authorization'],
    },
    alerts: [
      { metric: 'errors', above: 0.005, overMinutes: 5, notify: { page: ['on-call'], mail: [] } },
      { metric: 'latency.p99', above: 800, overMinutes: 10, notify: { chat: '#shop' }, runbook: 'slow-pages' },
      { metric: 'stock.sync.age', above: 3600, overMinutes: 1, muted: { until: '2026-12-01T06:00:00Z', by: 'grace' } },
    ],
    jobs: {
      nightly: { cron: '15 3 * * *', run: ['export', 'vacuum'], timeoutMinutes: 20, retries: 2 },
      prices: {
        cron: '*/10 * * * *',
        run: ['import-prices'],
        concurrency: 'skip',
        source: { url: 'ftp://prices', user: 7 },
      },
    },
    payments: {
      provider: 'cardhouse',
      currencies: ['EUR', 'CHF', 'GBP'],
      webhooks: [
        { event: 'charge.succeeded', path: '/hooks/paid', signature: { algorithm: 'hmac-sha256', header: 'X-Sign' } },
        {
          event: 'charge.refunded',
          path: '/hooks/refunded',
          retries: { count: 8, backoff: 'exponential', firstMs: 250 },
        },
      ],
      fraud: { maximum: { perDay: 2500, perCard: 900.5 }, review: { above: 400, unless: { knownFor: { months: 6 } } } },
    },
    mail: {
      from: { name: 'The shop', address: 'hello@example.com' },
      templates: {
        confirmation: { subject: 'Your order {{number}}', parts: ['text', 'html'], attach: ['invoice'] },
        delayed: { subject: 'Your order is late', delayHours: 48, stopWhen: { status: ['sent', 'cancelled'] } },
        review: {
          subject: 'How was it?',
          parts: ['html'],
          once: true,
          locale: { default: 'en', others: ['de', 'fr', 'it'] },
        },
      },
      bounce: { forward: 'postmaster@example.com', maximum: 3 },
    },
    suppliers: [
      {
        id: 17,
        name: 'Nordic Oak',
        feed: { kind: 'csv', columns: { sku: 0, stock: 3, price: 5 }, delimiter: ';' },
        margin: 0.32,
      },
      {
        id: 18,
        name: 'Lamp & Light',
        feed: { kind: 'json', root: '$.items[*]' },
        margin: 0.41,
        minimumOrder: { value: 250 },
      },
      {
        id: 23,
        name: 'Steelworks',
        feed: null,
        contact: { phone: '+43 1 555 01 01', hours: [9, 17] },
        discontinued: ['S-100'],
      },
    ],
    build: {
      command: 'npm run build',
      watch: ['src', 'public'],
      define: { __BUILD__: '"4.12.0"', __FLAGS__: '{}' },
      minify: true,
      targets: { browsers: ['chrome 120', 'firefox 121', 'safari 17.2'], worker: 'es2024' },
      loaders: { '.svg': 'text', '.wasm': 'copy' },
      sourceMaps: { upload: true, inline: false },
    },
    owners: [
      { team: 'shop', people: [{ name: 'Ada', role: 'lead' }, { name: 'Alan' }], channel: '#shop' },
      { team: 'platform', people: [], escalation: { after: 15, to: 'operations@example.com' } },
    ],
    checksum: 'sha256-5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  };
}
