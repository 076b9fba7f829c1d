export const Hint = () => (
  <p>
    press a -> b
  </p>
);
