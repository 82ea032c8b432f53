/**
 * Runs `task` when the page comes into view and every `intervalMs` while it stays there, never two at a time. A hidden
 * page does nothing, so that its counter may hibernate.
 */
export function whileVisible(task: () => Promise<void>, intervalMs: number): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;

  async function tick(): Promise<void> {
    clearTimeout(timer);
    if (running || document.visibilityState === 'hidden') return;
    running = true;
    await task();
    running = false;
    timer = setTimeout(tick, intervalMs);
  }

  document.addEventListener('visibilitychange', tick);
  window.addEventListener('focus', tick);
  void tick();
}
