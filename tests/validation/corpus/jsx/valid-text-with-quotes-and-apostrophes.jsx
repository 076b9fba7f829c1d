const Notice = () => (
  <p title='She said "hi"' aria-label="it's">
    Don't panic: "quotes" and it's fine; // not a comment
    /* nor this */ a = b + c, `backtick`
    {"}"} {'<'} {/* a comment } in braces */}
  </p>
);
export default Notice;
