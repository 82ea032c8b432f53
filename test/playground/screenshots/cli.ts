// Takes the pictures of the playground again: `npm run tool -- screenshots`, or `npm run tool -- screenshots counter` for some of them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumPath, openPlayground } from '../open-playground.ts';
import { DIGEST_FILE, digestOfPage, IMAGES } from './digest.ts';
import { indexColours } from './indexed-png.ts';
import { SCENES, SIZES } from './scenes.ts';

if (!chromiumPath) process.exit(1);

const [wanted = ''] = process.argv.slice(2);
await mkdir(IMAGES, { recursive: true });
await using playground = await openPlayground();
for (const scene of SCENES.filter(({ name }) => name.includes(wanted))) {
  const { name, hash, size, colorScheme } = scene;
  const { page } = await playground.open(hash, { ...SIZES[size], colorScheme, reducedMotion: 'reduce' });
  await scene.prepare(page, playground);
  // Neither a pointer nor a focus, which are where the scene ended.
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  const path = join(IMAGES, `${name}.png`);
  const image = indexColours(await page.screenshot());
  await writeFile(path, image);
  console.log(`${path}: ${Math.ceil(image.length / 1000)} kB`);
  await page.close();
}
// Some of them alone would say of the others, too, that they are of now.
if (wanted === '') await writeFile(DIGEST_FILE, `${await digestOfPage()}\n`);
