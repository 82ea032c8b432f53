import adapter from '@sveltejs/adapter-cloudflare';

/** What the adapter writes has a configuration of its own: it overwrites what `main` names. */
export default { kit: { adapter: adapter({ config: 'wrangler.kit.toml' }) } };
