export function App({ items }) {
  if (!items) {
    return null;

  return <p>{items.length}</p>;
}
