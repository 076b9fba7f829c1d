export const Card = () => (
  <div>
    <h1>Title</h2>
    <p>Text</p>
  </div>
);
