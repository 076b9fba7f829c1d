export const Notice = (): JSX.Element => (
  <p title='She said "hi"'>
    Don't panic: it's "fine" // not a comment
    {/* comment with } and < */}
    {`template ${1 < 2 ? "a" : "b"}`} &lt;tag&gt; &nbsp;
  </p>
);
