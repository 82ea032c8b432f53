import type { SectionId } from '../address.ts';
import { hrefOf } from '../address.ts';

interface OtherNameProps {
  readonly section: SectionId;
  readonly label: string;
}

/** Goes to another object of a section, by its name. */
export function OtherName({ section, label }: OtherNameProps) {
  const id = `${section}-other`;
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        const other = new FormData(event.currentTarget).get('name');
        if (typeof other === 'string' && other.trim() !== '') location.hash = hrefOf(section, other.trim());
      }}
    >
      <label for={id}>{label}</label>
      <div class="joined">
        <input
          id={id}
          name="name"
          required
          maxLength={60}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="its name"
        />
        <button type="submit">Open</button>
      </div>
    </form>
  );
}
