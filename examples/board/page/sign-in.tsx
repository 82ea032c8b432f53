import { useActionState } from 'react';
import type { User } from '../shared/cards.ts';

/** Asks for a name and its password; who is new has an account from then on. */
export function SignIn({ onSignedIn }: { onSignedIn: (user: User) => void }) {
  const [problem, signIn, isPending] = useActionState(async (_problem: string, form: FormData) => {
    const name = `${form.get('name')}`.trim();
    const body = JSON.stringify({ name, password: form.get('password') });
    const answer = await fetch('/session', { method: 'POST', body });
    if (!answer.ok) return await answer.text();
    onSignedIn({ name });
    return '';
  }, '');
  return (
    <form action={signIn}>
      <h1>Sign in, or up</h1>
      <label>
        Name <input name="name" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
