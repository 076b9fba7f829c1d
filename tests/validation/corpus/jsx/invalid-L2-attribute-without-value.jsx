export const Box = () => (
  <div className= id="x">
    text
  </div>
);
