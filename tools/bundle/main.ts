// Bundles the published packages into their dist folders; the compiler must have written the declarations.
import { bundlePackage } from './bundle-package.ts';
import { copyTemplate } from './copy-template.ts';
import { publishedPackages } from './published-packages.ts';

await Promise.all(
  publishedPackages()
    .filter(({ entries }) => Object.keys(entries).length > 0)
    .map(bundlePackage),
);
await copyTemplate();
