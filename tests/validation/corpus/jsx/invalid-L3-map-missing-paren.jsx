export const List = ({ items }) => (
  <ul>
    {items.map((i) => <li key={i}>{i}</li>}
  </ul>
);
