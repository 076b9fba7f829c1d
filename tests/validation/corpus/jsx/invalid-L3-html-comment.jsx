export const Box = () => (
  <div>
    <!-- a comment -->
    text
  </div>
);
