export const Card = (): JSX.Element => (
  <section>
    <div><p>Text</p>
  </section>
);
