export const Row = ({ a b }) => (
  <tr><td>{a}</td></tr>
);
export default Row;
