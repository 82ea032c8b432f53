import { hrefOf } from '../address.ts';
import { addressOf } from '../connection/page-connection.ts';
import { OtherName } from '../ui/other-name.tsx';

/** The same counter in a second tab and from code, and the way to others. */
export function Elsewhere({ name }: { readonly name: string }) {
  return (
    <div class="elsewhere block">
      <div>
        <h2>The same counter from elsewhere</h2>
        <p class="note">
          <a href={hrefOf('counter', name)} target="_blank" rel="noopener">
            Open it in a second tab
          </a>
          , or call it from Node:
        </p>
        <pre class="code">
          <code>{`import { connect } from '@lumenize/rpc';
using counter = connect('${addressOf('counter', name)}');
console.log(await counter.increment());`}</code>
        </pre>
      </div>
      <OtherName section="counter" label="Another counter" />
    </div>
  );
}
