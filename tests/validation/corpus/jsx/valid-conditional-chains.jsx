export const Status = ({ state, error }) => {
  switch (state) {
    case "loading": return <Spinner />;
    case "error": return <p role="alert">{error?.message ?? "unknown"}</p>;
    default:
      return state ? (
        <p>
          {state}
        </p>
      ) : null;
  }
};
const Spinner = () => <div className='spin'>{" "}</div>;
