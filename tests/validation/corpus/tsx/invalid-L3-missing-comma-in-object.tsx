const theme = {
  colour: "red"
  size: 2,
};
export const Box = () => <div style={theme} />;
