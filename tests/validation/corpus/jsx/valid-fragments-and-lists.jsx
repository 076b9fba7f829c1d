export const List = ({ items }) => (
  <>
    <h2>Items &amp; more</h2>
    <ul>
      {items.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
    {items.length === 0 && <p>Nothing here.</p>}
  </>
);
