import { useEffect, useState } from 'react';
import type { User } from '../shared/cards.ts';
import { Board } from './board.tsx';
import { SignIn } from './sign-in.tsx';

/** The board that the address names, for who is signed in. */
export function App() {
  const [user, setUser] = useState<User | null>();
  useEffect(() => {
    void fetch('/session').then(async (answer) => setUser(await answer.json()));
  }, []);
  if (user === undefined) return <p role="status">Loading …</p>;
  if (user === null) return <SignIn onSignedIn={setUser} />;
  return <Board name={location.hash.slice(1) || 'main'} user={user} onSignOut={() => setUser(null)} />;
}
