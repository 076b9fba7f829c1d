export const Field = ({ id }: { id: string }) => (
  <label>
    <input id={id}>
  </label>
);
