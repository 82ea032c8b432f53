// Runs as a process of its own: `node proxy-process.ts <port> <link as JSON> <seed>`. It prints its port.
import { seededRandom } from '../random.ts';
import type { Link } from './link.ts';
import { startLinkProxy } from './link-proxy.ts';

const [port, link, seed] = process.argv.slice(2);
const proxy = await startLinkProxy(Number(port), JSON.parse(link) as Link, seededRandom(Number(seed)));
process.stdout.write(`the link is at port ${proxy.port}\n`);
