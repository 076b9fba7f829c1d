export const Field = () => (
  <label>
    <input type="text">
  </label>
);
