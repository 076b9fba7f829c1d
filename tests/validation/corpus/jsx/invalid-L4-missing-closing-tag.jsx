export const Card = () => (
  <section>
    <div><p>Text</p>
  </section>
);
