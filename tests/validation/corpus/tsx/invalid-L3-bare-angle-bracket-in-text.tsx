export const Hint = () => (
  <p>
    works when a > b
  </p>
);
