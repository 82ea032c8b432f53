declare global {
  namespace App {
    interface Platform {
      env: { ROOM: DurableObjectNamespace };
    }
  }
}

export {};
