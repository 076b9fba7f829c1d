export const Row = ({ a, b }: { a: number; b: number } => (
  <tr><td>{a}</td><td>{b}</td></tr>
);
