export function App({ items }: { items: string[] }) {
  if (!items) {
    return null;

  return <p>{items.length}</p>;
}
