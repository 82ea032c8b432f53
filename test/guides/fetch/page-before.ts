const url = 'http://localhost:8787/todos/ada';

async function add(text: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ text }) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json() as Promise<number>;
}

console.log(await add('buy milk')); // 1
const [first] = (await (await fetch(url)).json()) as { text: string; since: string }[];
console.log(typeof first.since); // string
console.log(await add('').catch((error) => error.message)); // 400: text is missing
