declare module '*.vue' {
  const component: import('vue').Component;
  export default component;
}

declare module '*.svelte' {
  const component: import('svelte').Component<Record<string, unknown>>;
  export default component;
}

declare module '@babel/core' {
  export function transformAsync(code: string, options: object): Promise<{ code: string } | null>;
}

declare module 'babel-preset-solid' {
  const preset: unknown;
  export default preset;
}

declare module '@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js' {
  export * from 'vue/compiler-sfc';
}
