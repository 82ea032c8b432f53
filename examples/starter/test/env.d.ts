declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../src/worker.ts');
  }
  interface Env {
    COUNTER: DurableObjectNamespace<import('../src/counter.ts').Counter>;
  }
}
