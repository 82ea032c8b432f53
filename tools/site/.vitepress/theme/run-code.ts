import { withBase } from 'vitepress';
import { defineComponent, h, ref } from 'vue';

/** A button that runs a program of the page, and what the program prints. */
export const RunCode = defineComponent({
  props: { program: { type: String, required: true } },
  setup({ program }) {
    const lines = ref<readonly string[]>();
    const isRunning = ref(false);
    const hasFailed = ref(false);
    let runs = 0;

    async function run(): Promise<void> {
      isRunning.value = true;
      hasFailed.value = false;
      const printed: string[] = [];
      const { log } = console;
      console.log = (...values) => {
        printed.push(values.map(show).join(' '));
        lines.value = [...printed];
      };
      try {
        // Another query makes it another module, which runs again; what it imports stays.
        await import(/* @vite-ignore */ withBase(`/run/${program}.js?${++runs}`));
        lines.value = printed.length > 0 ? printed : ['(it printed nothing)'];
      } catch (error) {
        hasFailed.value = true;
        lines.value = [...printed, `${error}`];
      } finally {
        console.log = log;
        isRunning.value = false;
      }
    }

    return () =>
      h('div', { class: 'run-code' }, [
        h('button', { type: 'button', disabled: isRunning.value, onClick: run }, isRunning.value ? 'Running …' : 'Run'),
        lines.value &&
          h('output', { class: { failed: hasFailed.value } }, [h('pre', { tabindex: 0 }, lines.value.join('\n'))]),
      ]);
  },
});

/** Returns what Node would print of a value, about. */
function show(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error || value instanceof RegExp) return `${value}`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map)
    return `Map(${value.size}) {${[...value].map(([key, to]) => ` ${quote(key)} => ${quote(to)}`)} }`;
  if (value instanceof Set) return `Set(${value.size}) { ${[...value].map(quote).join(', ')} }`;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(quote).join(', ')} ]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, each]) => `${key}: ${quote(each)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : show(value);
}
