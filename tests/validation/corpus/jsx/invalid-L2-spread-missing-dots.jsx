export const Box = (props) => (
  <div {props}>
    text
  </div>
);
