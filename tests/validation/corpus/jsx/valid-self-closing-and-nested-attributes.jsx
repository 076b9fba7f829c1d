const Form = () => (
  <form onSubmit={(e) => { e.preventDefault(); }}>
    <input type="text" value={`a${1 + 1}b`} onChange={function (e) { return e; }} />
    <br/><hr />
    <Icon render={<span style={{ color: "red", padding: "1px 2px" }}>!</span>} />
    <label htmlFor="x">Name</label>
  </form>
);
function Icon(props) { return props.render; }
export default Form;
