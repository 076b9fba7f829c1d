export const Box = () => (
  <div>
    <!-- a comment -->
  </div>
);
