import { useEffect, useRef } from 'preact/hooks';
import { hrefOf, type SectionId } from './address.ts';
import { route } from './route.ts';
import { SECTIONS, type Section } from './sections.ts';

/** True if the documentation is served beside the page: the build says so. */
declare const HAS_DOCS: boolean;

/** The page: its masthead, the way to its sections, and those sections that were opened. */
export function App() {
  const { section: shown, name } = route.value;
  const opened = useOpened(shown, name);
  return (
    <div class="layout">
      <header class="masthead">
        <p class="brand">
          <img src="icon.svg" alt="" width="28" height="28" />
          <span>
            Lumenize RPC <small>Playground</small>
          </span>
          {HAS_DOCS && (
            <a class="docs" href="docs/">
              Docs
            </a>
          )}
        </p>
        <nav aria-label="Sections">
          <ol>
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <a href={hrefOf(id, opened.get(id)?.given)} aria-current={id === shown.id ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      </header>
      <main>
        {SECTIONS.map(({ id, title, lede, Content }) => {
          const place = opened.get(id);
          if (place === undefined) return null;
          return (
            <section key={id} class="section" aria-labelledby={`${id}-title`} hidden={id !== shown.id}>
              <header class="section-head">
                <h1 id={`${id}-title`}>{title}</h1>
                <p class="lede">{lede}</p>
              </header>
              {/* Another name is another object: nothing of the one before may stay. */}
              <Content key={place.name} name={place.name} isShown={id === shown.id} />
            </section>
          );
        })}
      </main>
    </div>
  );
}

/** A section that was opened: under the name that its address had last. */
interface Place {
  readonly given: string | undefined;
  readonly name: string;
}

/** The sections that were opened so far. They stay, so that a race goes on and a connection lives while another is in view. */
function useOpened(shown: Section, given: string | undefined): ReadonlyMap<SectionId, Place> {
  const opened = useRef(new Map<SectionId, Place>()).current;
  opened.set(shown.id, { given, name: given ?? 'main' });
  useEffect(() => {
    document.title = `${shown.title} · Lumenize RPC playground`;
  }, [shown]);
  return opened;
}
