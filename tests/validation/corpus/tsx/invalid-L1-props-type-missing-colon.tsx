export const Title = ({ text } { text: string }) => (
  <h1>{text}</h1>
);
export default Title;
